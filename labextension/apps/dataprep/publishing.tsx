import React from 'react';
import { usePanelModel } from '../use-panel-model';
import type { IWorkspaceProps } from './workspace';

/** Makes a pipeline of the workspace. */
function PipelineForm({ model, trans }: IWorkspaceProps): React.JSX.Element {
  const { busy } = usePanelModel(model);
  const [error, setError] = React.useState('');
  const submit = async (event: React.FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    setError(await model.publish(new FormData(event.currentTarget).get('sink') as string));
  };
  return (
    <form className="jp-Dataprep-form" aria-label={trans.__('Pipeline')} onSubmit={event => void submit(event)}>
      <label>
        {trans.__('Folder of the result')}
        <input name="sink" required aria-invalid={error !== ''} />
      </label>
      {error !== '' && (
        <p className="jp-Colophon-error" role="alert">
          {error}
        </p>
      )}
      <button className="jp-Colophon-button" disabled={busy}>
        {trans.__('Make it a pipeline')}
      </button>
    </form>
  );
}

/** Makes the code of a notebook cell of the workspace. */
function NotebookCell({ model, trans }: IWorkspaceProps): React.JSX.Element {
  const [code, setCode] = React.useState('');
  const [message, setMessage] = React.useState('');
  const show = async (library: string): Promise<void> => {
    setMessage('');
    setCode(await model.readCell(library));
  };
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(code);
      setMessage(trans.__('Copied.'));
    } catch {
      setMessage(trans.__('The browser refused to copy: select the code, and copy it.'));
    }
  };
  return (
    <>
      <div className="jp-Colophon-actions">
        <button type="button" className="jp-Colophon-button" onClick={() => void show('pandas')}>
          {trans.__('Make it a cell with pandas')}
        </button>
        <button type="button" className="jp-Colophon-button" onClick={() => void show('pyspark')}>
          {trans.__('Make it a cell with PySpark')}
        </button>
      </div>
      {code !== '' && (
        <>
          <textarea readOnly rows={8} aria-label={trans.__('Code of the cell')} value={code} />
          <button type="button" className="jp-Colophon-button" onClick={() => void copy()}>
            {trans.__('Copy')}
          </button>
        </>
      )}
      <p role="status" className="jp-Colophon-note">
        {message}
      </p>
    </>
  );
}

/** Makes a pipeline or a notebook cell of a workspace with a file. */
export function Publishing({ model, trans }: IWorkspaceProps): React.JSX.Element | null {
  const { workspace } = usePanelModel(model);
  if (workspace?.source.path === undefined) {
    return null;
  }
  return (
    <section className="jp-Colophon-card-section" aria-labelledby="dataprep-publishing">
      <h2 id="dataprep-publishing">{trans.__('Use the recipe')}</h2>
      <PipelineForm model={model} trans={trans} />
      <NotebookCell key={workspace.directives.join('\n')} model={model} trans={trans} />
    </section>
  );
}
