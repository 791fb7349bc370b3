import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { joinPath } from './home-model';
import type { IBrowsed } from './home-model';

/** A folder of a connection: opens its folders, and samples its files. */
export function Folder(props: {
  browsed: IBrowsed;
  show(path: string): void;
  sample(path: string): void;
  close(): void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { browsed, show, sample, close, trans } = props;
  const { connection, path, entries } = browsed;
  return (
    <section className="jp-Colophon-card-section" aria-labelledby="dataprep-folder">
      <h2 id="dataprep-folder">{path === '' ? connection : `${connection}/${path}`}</h2>
      <div className="jp-Colophon-actions">
        {path !== '' && (
          <button
            type="button"
            className="jp-Colophon-button"
            onClick={() => show(path.split('/').slice(0, -1).join('/'))}
          >
            {trans.__('Up')}
          </button>
        )}
        <button type="button" className="jp-Colophon-button" onClick={close}>
          {trans.__('Close')}
        </button>
      </div>
      {entries.length === 0 && <p className="jp-Colophon-note">{trans.__('The folder is empty.')}</p>}
      <ul className="jp-Dataprep-list">
        {entries.map(({ name, type, bytes }) => (
          <li key={name} aria-label={name}>
            <span>
              {name} {bytes !== undefined && <span className="jp-Colophon-note">{trans.__('%1 bytes', bytes)}</span>}
            </span>
            <button
              type="button"
              className="jp-Colophon-button"
              onClick={() => (type === 'folder' ? show : sample)(joinPath(path, name))}
            >
              {type === 'folder' ? trans.__('Open') : trans.__('Create a workspace')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
