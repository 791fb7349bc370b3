import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { LineageImpact } from '../../generated/api';
import { typeWord } from '../../components/words';

interface ICountsProps {
  title: string;
  counts: readonly { name: string; count: number }[];
  word: (name: string) => string;
}

function Counts({ title, counts, word }: ICountsProps): React.JSX.Element {
  return (
    <>
      <h4>{title}</h4>
      <ul className="jp-Colophon-counts" aria-label={title}>
        {counts.map(({ name, count }) => (
          <li key={name}>
            {word(name)} <span className="jp-Colophon-count">{count}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** How much is made of an entity, however far, and whose it is. */
export function Impact(props: { impact: LineageImpact; trans: TranslationBundle }): React.JSX.Element {
  const { impact, trans } = props;
  const counted = trans._n('%1 entity is made of this', '%1 entities are made of this', impact.total);
  return (
    <section aria-label={trans.__('Impact')}>
      <h3>{trans.__('Impact')}</h3>
      <p role="status">
        {counted}
        {impact.truncated && ` · ${trans.__('there are more than were counted')}`}
      </p>
      {impact.total > 0 && (
        <>
          <Counts title={trans.__('By type')} counts={impact.byType} word={name => typeWord(name, trans)} />
          <Counts title={trans.__('By owner')} counts={impact.byOwner} word={name => name || trans.__('nobody')} />
          <Counts title={trans.__('By namespace')} counts={impact.byNamespace} word={name => name} />
        </>
      )}
    </section>
  );
}
