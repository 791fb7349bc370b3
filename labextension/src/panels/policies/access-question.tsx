import React from 'react';
import { ProblemNote } from '../../components/problem';
import { TextInput } from '../../components/text-input';
import { useModel } from '../../components/use-model';
import type { Access } from '../../generated/api';
import type { IPoliciesProps } from './body';
import { getPermissionLabel } from './labels';
import type { Permission } from './model';
import { PERMISSIONS } from './model';

/** Splits a list of names, separated by commas. */
function splitNames(text: string): string[] {
  return text
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');
}

function Answer(props: IPoliciesProps & { access: Access }): React.JSX.Element {
  const { model, access, trans } = props;
  const { allowed, reason, rule, review } = access;
  const verdict = review ? trans.__('After a review: %1', reason) : trans.__('Yes: %1', reason);
  const link = (policy: string, label: string) => (
    <button type="button" className="jp-Colophon-link" onClick={() => void model.showRules(policy)}>
      {label}
    </button>
  );
  return (
    <p data-allowed={allowed}>
      {allowed ? verdict : trans.__('No: %1', reason)} {rule && link(rule.policy, trans.__('Show the policy'))}{' '}
      {review && review.policy !== rule?.policy && link(review.policy, trans.__('Show the policy of the review'))}
    </p>
  );
}

/** Asks who may do what with an entity; only admins ask for other users. */
export function AccessQuestion(props: IPoliciesProps): React.JSX.Element {
  const { model, actions, trans } = props;
  const { access, accessProblem, policies } = useModel(model);
  const [user, setUser] = React.useState('');
  const [groups, setGroups] = React.useState('');
  const [permission, setPermission] = React.useState<Permission>('read');
  const [urn, setUrn] = React.useState('');
  const isAdmin = policies !== null;
  const choose = async (): Promise<void> => {
    const chosen = await actions.pickEntity();
    if (chosen !== null) {
      setUrn(chosen);
    }
  };
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Who may do what')}>
      <h2>{trans.__('Who may do what')}</h2>
      <form
        className="jp-Colophon-form jp-Colophon-accessQuestion"
        aria-label={trans.__('Who may do what')}
        onSubmit={event => {
          event.preventDefault();
          void model.ask({ user: user.trim(), groups: splitNames(groups), permission, urn: urn.trim() });
        }}
      >
        {isAdmin && (
          <>
            <TextInput
              label={trans.__('User')}
              placeholder={trans.__('You, or anyone in the groups')}
              value={user}
              setValue={setUser}
            />
            <TextInput
              label={trans.__('Groups')}
              placeholder={trans.__('Names, separated by commas')}
              value={groups}
              setValue={setGroups}
            />
          </>
        )}
        <label>
          {trans.__('Permission')}
          <select value={permission} onChange={event => setPermission(event.target.value as Permission)}>
            {PERMISSIONS.map(name => (
              <option key={name} value={name}>
                {getPermissionLabel(name, trans)}
              </option>
            ))}
          </select>
        </label>
        <TextInput label={trans.__('Entity')} placeholder={trans.__('A URN')} required value={urn} setValue={setUrn} />
        <div className="jp-Colophon-actions">
          <button type="button" className="jp-Colophon-button" onClick={() => void choose()}>
            {trans.__('Choose the entity…')}
          </button>{' '}
          <button type="submit" className="jp-Colophon-button jp-mod-primary">
            {trans.__('Ask')}
          </button>
        </div>
      </form>
      <div role="status">{access && <Answer {...props} access={access} />}</div>
      {accessProblem && <ProblemNote problem={accessProblem} trans={trans} />}
    </section>
  );
}
