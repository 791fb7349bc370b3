import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { IBrowsed } from './home-model';

/** A folder of a connection, or what corresponds to it: opens and samples its entries. */
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
      {entries.length === 0 && <p className="jp-Colophon-note">{trans.__('There is nothing here.')}</p>}
      <ul className="jp-Dataprep-list">
        {entries.map(({ name, type, path: place, bytes, canBrowse, canSample }) => (
          <li key={place} aria-label={name}>
            <span>
              {name}{' '}
              <span className="jp-Colophon-note">{bytes === undefined ? type : trans.__('%1 bytes', bytes)}</span>
            </span>
            <span className="jp-Colophon-actions">
              {canBrowse && (
                <button type="button" className="jp-Colophon-button" onClick={() => show(place)}>
                  {trans.__('Open')}
                </button>
              )}
              {canSample && (
                <button type="button" className="jp-Colophon-button" onClick={() => sample(place)}>
                  {trans.__('Create a workspace')}
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
