import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { IConnection } from './documents';

/** Creates or changes a connection to a folder of files. */
export function ConnectionForm(props: {
  connection: IConnection;
  save(connection: IConnection): Promise<string>;
  close(): void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { connection, save, close, trans } = props;
  const [error, setError] = React.useState('');
  const isNew = connection.name === '';
  const submit = async (event: React.FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const read = new FormData(event.currentTarget);
    const [name, folder, description] = ['name', 'folder', 'description'].map(each => read.get(each) as string);
    const refusal = await save({
      name: isNew ? name! : connection.name,
      type: 'file',
      folder: folder!,
      description: description!
    });
    setError(refusal);
    if (refusal === '') {
      close();
    }
  };
  // Only the name is part of the path, so that its refusal is the one that names it.
  const isWrongName = error.includes('name of a connection');
  const describe = (isWrong: boolean): object =>
    isWrong && error ? { 'aria-invalid': true, 'aria-describedby': 'dataprep-refusal' } : {};
  const refusal = (isShown: boolean): React.JSX.Element | false =>
    isShown &&
    error !== '' && (
      <p id="dataprep-refusal" className="jp-Colophon-error" role="alert">
        {error}
      </p>
    );
  return (
    <form
      className="jp-Dataprep-form"
      aria-label={isNew ? trans.__('New connection') : trans.__('Connection %1', connection.name)}
      onSubmit={event => void submit(event)}
    >
      {isNew && (
        <label>
          {trans.__('Name')}
          <input name="name" required autoFocus {...describe(isWrongName)} />
        </label>
      )}
      {refusal(isWrongName)}
      <label>
        {trans.__('Folder')}
        <input name="folder" required autoFocus={!isNew} defaultValue={connection.folder} {...describe(!isWrongName)} />
      </label>
      {refusal(!isWrongName)}
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
