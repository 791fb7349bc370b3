import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { LineageImpact } from '../../generated/api';
import { getTypeLabel } from '../../components/labels';

interface ICountsProps {
  title: string;
  counts: readonly { name: string; count: number }[];
  getLabel: (name: string) => string;
}

function Counts({ title, counts, getLabel }: ICountsProps): React.JSX.Element {
  return (
    <>
      <h4>{title}</h4>
      <ul className="jp-Colophon-counts" aria-label={title}>
        {counts.map(({ name, count }) => (
          <li key={name}>
            {getLabel(name)} <span className="jp-Colophon-count">{count}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Numbers of downstream entities by type, owner and namespace. */
export function Impact(props: { impact: LineageImpact; trans: TranslationBundle }): React.JSX.Element {
  const { impact, trans } = props;
  const summary = trans._n('%1 downstream entity', '%1 downstream entities', impact.total);
  return (
    <section aria-label={trans.__('Impact')}>
      <h3>{trans.__('Impact')}</h3>
      <p role="status">
        {summary}
        {impact.truncated && ` · ${trans.__('counting was stopped at a limit')}`}
      </p>
      {impact.total > 0 && (
        <>
          <Counts title={trans.__('By type')} counts={impact.byType} getLabel={name => getTypeLabel(name, trans)} />
          <Counts
            title={trans.__('By owner')}
            counts={impact.byOwner}
            getLabel={name => name || trans.__('no owner')}
          />
          <Counts title={trans.__('By namespace')} counts={impact.byNamespace} getLabel={name => name} />
        </>
      )}
    </section>
  );
}
