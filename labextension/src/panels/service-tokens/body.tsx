import type { TranslationBundle } from '@jupyterlab/translation';
import { addIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { RelativeTime } from '../../components/relative-time';
import { ScrollableTable } from '../../components/scrollable-table';
import { useModel } from '../../components/use-model';
import type { IssuedServiceToken, ServiceToken } from '../../generated/api';
import { CreateForm } from './create-form';
import type { IServiceTokenActions } from './index';
import type { ServiceTokensModel } from './model';
import { isExpired } from './model';

/** What the parts of the page share. */
export interface IServiceTokensProps {
  model: ServiceTokensModel;
  actions: IServiceTokenActions;
  trans: TranslationBundle;
}

/** The token that was just created or rotated: it is not shown again. */
function Issued(props: IServiceTokensProps & { issued: IssuedServiceToken }): React.JSX.Element {
  const { model, actions, issued, trans } = props;
  const field = React.useRef<HTMLInputElement>(null);
  React.useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [issued]);
  const id = React.useId();
  return (
    <section className="jp-Colophon-issuedToken jp-Colophon-form" aria-labelledby={`${id}-label`}>
      <label id={`${id}-label`} htmlFor={id}>
        {trans.__('The token of %1. Copy it now: it is not shown again.', issued.name)}
      </label>
      <input id={id} ref={field} type="text" readOnly spellCheck={false} value={issued.token} />
      <div>
        <button type="button" className="jp-Colophon-button jp-mod-primary" onClick={() => actions.copy(issued.token)}>
          {trans.__('Copy')}
        </button>{' '}
        <button type="button" className="jp-Colophon-button" onClick={() => model.closeIssued()}>
          {trans.__('Done')}
        </button>
      </div>
    </section>
  );
}

/** When a token ends. */
function Expiry({ token, trans }: { token: ServiceToken; trans: TranslationBundle }): React.JSX.Element {
  const date = <time dateTime={token.expires}>{new Date(token.expires).toLocaleDateString()}</time>;
  return isExpired(token, Date.now()) ? (
    <>
      <strong>{trans.__('expired')}</strong> {date}
    </>
  ) : (
    date
  );
}

function TokenRow(props: IServiceTokensProps & { token: ServiceToken }): React.JSX.Element {
  const { model, actions, token, trans } = props;
  const { name, scopes, namespaces, lastUsed, createdBy } = token;
  const rotate = async (): Promise<void> => {
    const overlap = await actions.confirmRotation(name);
    if (overlap !== null) {
      await model.rotate(name, overlap);
    }
  };
  const revoke = async (): Promise<void> => {
    if (await actions.confirmRevocation(name)) {
      await model.revoke(name);
    }
  };
  return (
    <tr data-name={name}>
      <th scope="row" title={trans.__('Created by %1', createdBy)}>
        {name}
      </th>
      <td>{scopes.join(', ')}</td>
      <td>{namespaces === null ? trans.__('all') : namespaces.join(', ')}</td>
      <td>
        <Expiry token={token} trans={trans} />
      </td>
      <td>{lastUsed === null ? trans.__('never') : <RelativeTime time={lastUsed} trans={trans} />}</td>
      <td>
        <button
          type="button"
          className="jp-Colophon-button"
          aria-label={trans.__('Rotate %1', name)}
          onClick={() => void rotate()}
        >
          {trans.__('Rotate…')}
        </button>{' '}
        <button
          type="button"
          className="jp-Colophon-button"
          aria-label={trans.__('Revoke %1', name)}
          onClick={() => void revoke()}
        >
          {trans.__('Revoke…')}
        </button>
      </td>
    </tr>
  );
}

function TokenTable(props: IServiceTokensProps): React.JSX.Element {
  const { model, trans } = props;
  const { tokens } = useModel(model);
  return (
    <ScrollableTable label={trans.__('Service tokens')}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Name')}</th>
          <th scope="col">{trans.__('Scopes')}</th>
          <th scope="col">{trans.__('Namespaces')}</th>
          <th scope="col">{trans.__('Expires')}</th>
          <th scope="col">{trans.__('Last used')}</th>
          <th scope="col">{trans.__('Actions')}</th>
        </tr>
      </thead>
      <tbody>
        {tokens.map(token => (
          <TokenRow key={token.name} {...props} token={token} />
        ))}
      </tbody>
    </ScrollableTable>
  );
}

/** The body of the page. */
export function ServiceTokensBody(props: IServiceTokensProps): React.JSX.Element {
  const { model, trans } = props;
  const { tokens, issued, busy, problem } = useModel(model);
  const [isCreating, setCreating] = React.useState(false);
  return (
    <div className="jp-Colophon-page" aria-busy={busy}>
      <h1>{trans.__('Service tokens')}</h1>
      <p className="jp-Colophon-note">
        {trans.__(
          'Programs and CI use the catalog with a token of their own. Their changes are recorded under the name of the token.'
        )}
      </p>
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
      {issued && <Issued {...props} issued={issued} />}
      {isCreating ? (
        <CreateForm model={model} trans={trans} close={() => setCreating(false)} />
      ) : (
        problem?.kind !== 'denied' && (
          <button type="button" className="jp-Colophon-prompt" onClick={() => setCreating(true)}>
            <addIcon.react tag="span" width="14px" />
            {trans.__('New service token')}
          </button>
        )
      )}
      {tokens.length > 0 ? (
        <TokenTable {...props} />
      ) : (
        !busy && !problem && <p className="jp-Colophon-note">{trans.__('No service tokens.')}</p>
      )}
    </div>
  );
}
