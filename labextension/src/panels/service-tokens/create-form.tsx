import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ShortForm } from '../../components/short-form';
import type { Scope, ServiceTokensModel } from './model';
import { DEFAULT_DAYS, SCOPES, parseNamespaces } from './model';

/** What a scope permits, for people. */
function getScopeLabel(scope: Scope, trans: TranslationBundle): string {
  switch (scope) {
    case 'read':
      return trans.__('read: read and search');
    case 'annotate':
      return trans.__('annotate: tags, properties and descriptions');
    case 'emit':
      return trans.__('emit: runs, lineage and machine-made metadata');
    case 'admin':
      return trans.__('admin: delete, import, manage tokens');
  }
}

/** The form of a new token. Enter creates it, Escape cancels. */
export function CreateForm(props: {
  model: ServiceTokensModel;
  trans: TranslationBundle;
  close: () => void;
}): React.JSX.Element {
  const { model, trans, close } = props;
  const [name, setName] = React.useState('');
  const [scopes, setScopes] = React.useState<readonly Scope[]>(['read', 'emit']);
  const [namespaces, setNamespaces] = React.useState('');
  const [days, setDays] = React.useState(DEFAULT_DAYS);
  const id = React.useId();
  const toggle = (scope: Scope): void =>
    setScopes(SCOPES.filter(other => scopes.includes(other) !== (other === scope)));
  const create = async (): Promise<void> => {
    const body = { name, scopes: [...scopes], namespaces: parseNamespaces(namespaces), expiresInDays: days };
    if (await model.create(body)) {
      close();
    }
  };
  return (
    <ShortForm
      className="jp-Colophon-newEntry"
      label={trans.__('New service token')}
      submit={() => void create()}
      close={close}
    >
      <label htmlFor={`${id}-name`}>
        {trans.__('Name')}
        <input
          id={`${id}-name`}
          type="text"
          autoFocus
          required
          pattern="[a-z0-9][a-z0-9._\-]{0,62}"
          title={trans.__('Lower-case letters, digits, dots, dashes and underscores')}
          spellCheck={false}
          value={name}
          onChange={event => setName(event.target.value)}
        />
      </label>
      <fieldset className="jp-Colophon-scopes">
        <legend>{trans.__('Scopes')}</legend>
        {SCOPES.map(scope => (
          <label key={scope} className="jp-Colophon-check">
            <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />
            {getScopeLabel(scope, trans)}
          </label>
        ))}
      </fieldset>
      <label htmlFor={`${id}-namespaces`}>
        {trans.__('Namespaces')}
        <input
          id={`${id}-namespaces`}
          type="text"
          placeholder={trans.__('All; or names, separated by commas')}
          spellCheck={false}
          value={namespaces}
          onChange={event => setNamespaces(event.target.value)}
        />
      </label>
      <label htmlFor={`${id}-days`}>
        {trans.__('Days until it expires')}
        <input
          id={`${id}-days`}
          type="number"
          required
          min={1}
          value={days}
          onChange={event => setDays(event.target.valueAsNumber)}
        />
      </label>
      <div>
        <button type="submit" className="jp-Colophon-button jp-mod-primary" disabled={scopes.length === 0}>
          {trans.__('Create')}
        </button>{' '}
        <button type="button" className="jp-Colophon-button" onClick={close}>
          {trans.__('Cancel')}
        </button>
      </div>
    </ShortForm>
  );
}
