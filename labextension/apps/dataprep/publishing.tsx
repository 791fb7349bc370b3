import React from 'react';
import { usePanelModel } from '../use-panel-model';
import { ON_REJECTED } from './publication';
import type { OnRejected } from './publication';
import type { IWorkspaceProps } from './workspace';

/** Returns what a pipeline does with rejected rows. */
function getOnRejectedLabel(onRejected: OnRejected, trans: IWorkspaceProps['trans']): string {
  switch (onRejected) {
    case 'fail':
      return trans.__('The run fails');
    case 'skip':
      return trans.__('They are left out, and counted');
    case 'write':
      return trans.__('They are written to a folder');
  }
}

/** Makes a pipeline of the workspace. */
function PipelineForm({ model, trans }: IWorkspaceProps): React.JSX.Element {
  const { busy, page } = usePanelModel(model);
  const rejectedCount = page?.rejectedCount ?? 0;
  const [sink, setSink] = React.useState('');
  const [chosen, setChosen] = React.useState<OnRejected | null>(null);
  const [rejected, setRejected] = React.useState<string | null>(null);
  const [error, setError] = React.useState('');
  const onRejected = chosen ?? (rejectedCount > 0 ? 'skip' : 'fail');
  const rejectedFolder = rejected ?? (sink === '' ? '' : `${sink.replace(/\/+$/, '')}-rejected`);
  const submit = async (event: React.FormEvent): Promise<void> => {
    event.preventDefault();
    setError(await model.publish({ sink, onRejected, ...(onRejected === 'write' && { rejected: rejectedFolder }) }));
  };
  return (
    <form className="jp-Dataprep-form" aria-label={trans.__('Pipeline')} onSubmit={event => void submit(event)}>
      <label>
        {trans.__('Folder of the result')}
        <input
          value={sink}
          required
          placeholder={trans.__('An absolute path, such as %1', '/data/clean/orders')}
          aria-invalid={error !== ''}
          onChange={event => setSink(event.target.value)}
        />
      </label>
      <label>
        {trans.__('Rows that a directive cannot process')}
        <select
          value={onRejected}
          aria-describedby="dataprep-rejected-count"
          onChange={event => setChosen(event.target.value as OnRejected)}
        >
          {ON_REJECTED.map(each => (
            <option key={each} value={each}>
              {getOnRejectedLabel(each, trans)}
            </option>
          ))}
        </select>
      </label>
      <p id="dataprep-rejected-count" className="jp-Colophon-note">
        {rejectedCount > 0 &&
          trans._n('%1 row of the sample is rejected.', '%1 rows of the sample are rejected.', rejectedCount)}
      </p>
      {onRejected === 'write' && (
        <label>
          {trans.__('Folder of the rejected rows')}
          <input value={rejectedFolder} required onChange={event => setRejected(event.target.value)} />
        </label>
      )}
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
