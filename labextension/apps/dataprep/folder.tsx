import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { IEntry } from './documents';
import type { IBrowsed } from './home-model';

const SIZE = new Intl.NumberFormat(undefined, {
  style: 'unit',
  unit: 'byte',
  unitDisplay: 'narrow',
  notation: 'compact'
});

/** Returns the size of a file, the partitions of a topic, the type of a column, or the type of another entry. */
function describeEntry({ type, bytes, partitions, dataType }: IEntry, trans: TranslationBundle): string {
  if (bytes !== undefined) {
    return SIZE.format(bytes);
  }
  return partitions === undefined ? (dataType ?? type) : trans._n('%1 partition', '%1 partitions', partitions);
}

/** A folder of a connection, or what corresponds to it: opens and samples its entries. */
export function Folder(props: {
  browsed: IBrowsed;
  show(path: string): void;
  sample(entry: IEntry): void;
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
        {entries.map(entry => (
          <li key={entry.path} aria-label={entry.name}>
            <span>
              {entry.name} <span className="jp-Colophon-note">{describeEntry(entry, trans)}</span>
            </span>
            <span className="jp-Colophon-actions">
              {entry.canBrowse && (
                <button type="button" className="jp-Colophon-button" onClick={() => show(entry.path)}>
                  {trans.__('Open')}
                </button>
              )}
              {entry.canSample && (
                <button type="button" className="jp-Colophon-button" onClick={() => sample(entry)}>
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
