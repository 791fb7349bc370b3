import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { IFoundKey, Key } from '../../model/query';

function getKindLabel(key: IFoundKey, trans: TranslationBundle): string {
  switch (key.kind) {
    case 'tag':
      return trans.__('tag');
    case 'field':
      return trans.__('field');
    case 'property':
      return trans.__('property');
  }
}

function describeKey(key: IFoundKey, trans: TranslationBundle): string {
  return key.scope === 'USER'
    ? trans.__('%1 (user metadata)', getKindLabel(key, trans))
    : trans.__('%1 (system metadata)', getKindLabel(key, trans));
}

/** Metadata keys; selecting one lists its entities. */
export function KeyList(props: {
  keys: readonly IFoundKey[];
  pick: (key: Pick<Key, 'key' | 'kind'>) => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { keys, pick, trans } = props;
  return (
    <ul className="jp-Colophon-list">
      {keys.map(key => (
        <li key={`${key.scope} ${key.kind} ${key.key}`}>
          <button
            type="button"
            className="jp-Colophon-item jp-Colophon-key"
            title={describeKey(key, trans)}
            data-key={key.key}
            data-scope={key.scope}
            onClick={() => pick(key)}
          >
            <span className="jp-Colophon-name">{key.key}</span>
            {key.values.length > 0 && <span className="jp-Colophon-value">{key.values.join(', ')}</span>}
            <span className="jp-Colophon-kind">{getKindLabel(key, trans)}</span>
            {key.scope === 'SYSTEM' && <span className="jp-Colophon-kind">{trans.__('system')}</span>}
            {key.entities !== undefined && (
              <span className="jp-Colophon-count" aria-label={trans._n('%1 entity', '%1 entities', key.entities)}>
                {key.entities}
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}
