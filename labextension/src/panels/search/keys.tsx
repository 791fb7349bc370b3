import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { IFoundKey, Key } from '../../model/query';

function kindWord(key: IFoundKey, trans: TranslationBundle): string {
  switch (key.kind) {
    case 'tag':
      return trans.__('tag');
    case 'field':
      return trans.__('field');
    case 'property':
      return trans.__('property');
  }
}

function hint(key: IFoundKey, trans: TranslationBundle): string {
  return key.scope === 'USER'
    ? trans.__('%1, written by people', kindWord(key, trans))
    : trans.__('%1, written by machines', kindWord(key, trans));
}

/** Metadata keys; picking one lists what carries it. */
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
            title={hint(key, trans)}
            data-key={key.key}
            data-scope={key.scope}
            onClick={() => pick(key)}
          >
            <span className="jp-Colophon-name">{key.key}</span>
            {key.values.length > 0 && <span className="jp-Colophon-value">{key.values.join(', ')}</span>}
            <span className="jp-Colophon-kind">{kindWord(key, trans)}</span>
            {key.scope === 'SYSTEM' && <span className="jp-Colophon-kind">{trans.__('machine')}</span>}
            {key.entities !== undefined && (
              <span
                className="jp-Colophon-count"
                aria-label={trans._n('carried by %1 entity', 'carried by %1 entities', key.entities)}
              >
                {key.entities}
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}
