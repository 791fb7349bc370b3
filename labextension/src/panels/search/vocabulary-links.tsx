import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

/** Links to the lists of keys, tags, glossary terms, domains and owners. */
export function VocabularyLinks(props: {
  showVocabulary: (tab: string) => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { showVocabulary, trans } = props;
  const links = [
    ['keys', trans.__('Keys and tags')],
    ['term', trans.__('Glossary terms')],
    ['domain', trans.__('Domains')],
    ['owner', trans.__('Owners')]
  ] as const;
  return (
    <section aria-label={trans.__('Browse')}>
      <h3>{trans.__('Browse')}</h3>
      <p className="jp-Colophon-browse">
        {links.map(([tab, label]) => (
          <button
            key={tab}
            type="button"
            className="jp-Colophon-link jp-Colophon-item"
            onClick={() => showVocabulary(tab)}
          >
            {label}
          </button>
        ))}
      </p>
    </section>
  );
}
