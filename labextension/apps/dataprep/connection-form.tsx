import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { FIELDS, TYPES } from './connection-fields';
import type { ConnectionType, IConnectionField } from './connection-fields';
import type { IConnection } from './documents';

/** Returns the label of a field. */
function getLabel(name: IConnectionField['name'], trans: TranslationBundle): string {
  switch (name) {
    case 'folder':
      return trans.__('Folder');
    case 'url':
      return trans.__('JDBC URL');
    case 'user':
      return trans.__('User');
    case 'passwordSecret':
      return trans.__('Name of the secret with the password');
    case 'servers':
      return trans.__('Servers (host:port, separated by commas)');
    case 'security':
      return trans.__('Security');
    case 'mechanism':
      return trans.__('Mechanism');
  }
}

/** Returns what a type connects to. */
function getTypeLabel(type: ConnectionType, trans: TranslationBundle): string {
  switch (type) {
    case 'file':
      return trans.__('Folder of files');
    case 'jdbc':
      return trans.__('Database');
    case 'kafka':
      return trans.__('Kafka');
  }
}

/** Creates or changes a connection. */
export function ConnectionForm(props: {
  connection: IConnection;
  save(connection: IConnection): Promise<string>;
  close(): void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { connection, save, close, trans } = props;
  const [type, setType] = React.useState(connection.type);
  const [error, setError] = React.useState('');
  const isNew = connection.name === '';
  const submit = async (event: React.FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const read = new FormData(event.currentTarget);
    const members = Object.fromEntries([...read].filter(([, value]) => value !== '')) as Partial<IConnection>;
    const refusal = await save({ ...members, name: connection.name || (read.get('name') as string), type });
    setError(refusal);
    if (refusal === '') {
      close();
    }
  };
  // The refusal names the member; that of a missing or foreign folder names the folder.
  const isWrong = (name: string): boolean =>
    error !== '' && (name === 'name' ? error.includes('name of a connection') : error.includes(name));
  const describe = (name: string): object =>
    isWrong(name) ? { 'aria-invalid': true, 'aria-describedby': 'dataprep-refusal' } : {};
  return (
    <form
      className="jp-Dataprep-form"
      aria-label={isNew ? trans.__('New connection') : trans.__('Connection %1', connection.name)}
      onSubmit={event => void submit(event)}
    >
      {isNew && (
        <>
          <label>
            {trans.__('Name')}
            <input name="name" required autoFocus {...describe('name')} />
          </label>
          <label>
            {trans.__('Type')}
            <select value={type} onChange={event => setType(event.target.value as ConnectionType)}>
              {TYPES.map(each => (
                <option key={each} value={each}>
                  {getTypeLabel(each, trans)}
                </option>
              ))}
            </select>
          </label>
        </>
      )}
      {FIELDS[type].map(({ name, isRequired = false, choices }) => (
        <label key={name}>
          {getLabel(name, trans)}
          {choices ? (
            <select name={name} defaultValue={connection[name] ?? ''} {...describe(name)}>
              {choices.map(choice => (
                <option key={choice}>{choice}</option>
              ))}
            </select>
          ) : (
            <input name={name} required={isRequired} defaultValue={connection[name]} {...describe(name)} />
          )}
        </label>
      ))}
      {error !== '' && (
        <p id="dataprep-refusal" className="jp-Colophon-error" role="alert">
          {error}
        </p>
      )}
      <label>
        {trans.__('Description')}
        <input name="description" defaultValue={connection.description} />
      </label>
      <div className="jp-Colophon-actions">
        <button className="jp-Colophon-button jp-mod-primary">{trans.__('Save')}</button>
        <button type="button" className="jp-Colophon-button" onClick={close}>
          {trans.__('Cancel')}
        </button>
      </div>
    </form>
  );
}
