import type { TranslationBundle } from '@jupyterlab/translation';
import { addIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { ScrollableTable } from '../../components/scrollable-table';
import { ShortForm } from '../../components/short-form';
import { useModel } from '../../components/use-model';
import type { Policies } from '../../generated/api';
import type { IFormTools } from '../../tokens';
import { AccessQuestion } from './access-question';
import type { IPoliciesActions } from './index';
import { getSubjectLabel } from './labels';
import type { PoliciesModel, Policy } from './model';
import { PolicyForm } from './policy-form';
import { RuleList } from './rule-list';

/** What the parts of the page share. */
export interface IPoliciesProps {
  model: PoliciesModel;
  actions: IPoliciesActions;
  tools: IFormTools | null;
  trans: TranslationBundle;
}

/** Closes an open form after a confirmation, if there are unsaved changes, and starts an action. */
async function startAction({ model, actions }: IPoliciesProps, action: () => Promise<unknown>): Promise<void> {
  if (!model.isDirty || (await actions.confirmDiscard())) {
    await action();
  }
}

function NewPolicy(props: IPoliciesProps & { close: () => void }): React.JSX.Element {
  const { model, trans, close } = props;
  const [name, setName] = React.useState('');
  const [isTaken, setTaken] = React.useState(false);
  const id = React.useId();
  const create = async (): Promise<void> => {
    if (await model.create(name)) {
      close();
    } else {
      setTaken(true);
    }
  };
  return (
    <ShortForm
      className="jp-Colophon-newEntry"
      label={trans.__('New policy')}
      submit={() => void startAction(props, create)}
      close={close}
    >
      <label htmlFor={id}>
        {trans.__('Name')}
        <input
          id={id}
          type="text"
          autoFocus
          required
          pattern="[a-zA-Z0-9][a-zA-Z0-9._\-]{0,99}"
          title={trans.__('Letters, digits, dots, dashes and underscores')}
          spellCheck={false}
          value={name}
          aria-invalid={isTaken}
          aria-describedby={`${id}-error`}
          onChange={event => {
            setName(event.target.value);
            setTaken(false);
          }}
        />
      </label>
      <div id={`${id}-error`} className={isTaken ? 'jp-Colophon-error' : undefined} role="alert">
        {isTaken && trans.__('There is a policy with this name.')}
      </div>
      <div>
        <button type="submit" className="jp-Colophon-button jp-mod-primary">
          {trans.__('Continue')}
        </button>{' '}
        <button type="button" className="jp-Colophon-button" onClick={close}>
          {trans.__('Cancel')}
        </button>
      </div>
    </ShortForm>
  );
}

/** Buttons for a policy: a stored one is edited here, a file where it is. */
function PolicyActions(props: IPoliciesProps & { policy: Policy }): React.JSX.Element {
  const { model, actions, policy, trans } = props;
  const { name, origin, to } = policy;
  const remove = async (): Promise<void> => {
    const subjects = to.map(subject => getSubjectLabel(subject, model.members, trans));
    if (await actions.confirmDeletion(name, subjects)) {
      await model.delete(policy.policy);
    }
  };
  const button = (label: string, spoken: string, action: () => void): React.JSX.Element => (
    <>
      <button type="button" className="jp-Colophon-button" aria-label={spoken} onClick={action}>
        {label}
      </button>{' '}
    </>
  );
  return (
    <>
      {button(
        trans.__('Show'),
        trans.__('Show %1', name),
        () => void startAction(props, () => model.showRules(policy.policy))
      )}
      {origin === 'catalog' && (
        <>
          {button(
            trans.__('Edit'),
            trans.__('Edit %1', name),
            () => void startAction(props, () => model.edit(policy.policy))
          )}
          {button(trans.__('Versions'), trans.__('Versions of %1', name), () => actions.openEntity(policy.policy))}
          {button(trans.__('Delete…'), trans.__('Delete %1', name), () => void remove())}
        </>
      )}
    </>
  );
}

function PolicyRow(props: IPoliciesProps & { policy: Policy }): React.JSX.Element {
  const { model, policy, trans } = props;
  const { name, origin, description, enabled, rules, to, problem } = policy;
  return (
    <tr data-policy={policy.policy}>
      <th scope="row" title={description === '' ? policy.policy : description}>
        {name}
        {!enabled && <span className="jp-Colophon-note"> {trans.__('disabled')}</span>}
      </th>
      <td>{origin === 'catalog' ? trans.__('catalog') : trans.__('file')}</td>
      <td className="jp-Colophon-number">{rules.toLocaleString()}</td>
      <td className="jp-Colophon-text-cell">
        {problem === '' ? (
          to.map(subject => getSubjectLabel(subject, model.members, trans)).join(', ')
        ) : (
          <strong>{trans.__('It cannot be used: %1', problem)}</strong>
        )}
      </td>
      <td>
        <PolicyActions {...props} />
      </td>
    </tr>
  );
}

/** Whether policies decide, and who is not restricted by them. */
function Summary({ policies, trans }: { policies: Policies; trans: TranslationBundle }): React.JSX.Element {
  const { inForce, folder, admins } = policies;
  const lines = inForce
    ? [
        trans.__(
          'Access that no rule grants is denied, and rules that deny take precedence. A change takes effect within a second.'
        ),
        trans.__('Admins in the settings, who may do everything: %1', admins.join(', '))
      ]
    : [trans.__('No policies are in force: everyone may do what the scopes of their token permit.')];
  if (folder !== null) {
    lines.push(trans.__('Folder of files: %1', folder));
  }
  return (
    <>
      {lines.map(line => (
        <p key={line} className="jp-Colophon-note">
          {line}
        </p>
      ))}
    </>
  );
}

function PolicyTable(props: IPoliciesProps & { policies: readonly Policy[] }): React.JSX.Element {
  const { policies, trans } = props;
  return policies.length === 0 ? (
    <p className="jp-Colophon-note">{trans.__('No policies.')}</p>
  ) : (
    <ScrollableTable label={trans.__('Policies')}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Name')}</th>
          <th scope="col">{trans.__('Source')}</th>
          <th scope="col" className="jp-Colophon-number">
            {trans.__('Rules')}
          </th>
          <th scope="col">{trans.__('Applies to')}</th>
          <th scope="col">{trans.__('Actions')}</th>
        </tr>
      </thead>
      <tbody>
        {policies.map(policy => (
          <PolicyRow key={policy.policy} {...props} policy={policy} />
        ))}
      </tbody>
    </ScrollableTable>
  );
}

/** The body of the page. */
export function PoliciesBody(props: IPoliciesProps): React.JSX.Element {
  const { model, trans } = props;
  const { policies, content, editor, busy, problem } = useModel(model);
  const [isCreating, setCreating] = React.useState(false);
  return (
    <div className="jp-Colophon-page" aria-busy={busy}>
      <h1>{trans.__('Access policies')}</h1>
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
      {policies && (
        <>
          <Summary policies={policies} trans={trans} />
          {isCreating ? (
            <NewPolicy {...props} close={() => setCreating(false)} />
          ) : (
            <button type="button" className="jp-Colophon-prompt" onClick={() => setCreating(true)}>
              <addIcon.react tag="span" width="14px" />
              {trans.__('New policy')}
            </button>
          )}
          <PolicyTable {...props} policies={policies.policies} />
        </>
      )}
      {editor && <PolicyForm {...props} editor={editor} />}
      {content && (
        <RuleList content={content} members={model.members} close={() => model.stopEditing()} trans={trans} />
      )}
      <AccessQuestion {...props} />
    </div>
  );
}
