import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { downloadFile } from '../../components/download-file';
import { getTypeLabel } from '../../components/labels';
import { RelativeTime } from '../../components/relative-time';
import { countAges } from '../../lineage/colouring';
import type { IImpact, IImpactEntity } from './impact-list';
import { formatImpactCsv } from './impact-list';
import { getAgeLabel, getNodeName } from './labels';

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

/** The number of entities that are listed at first, and with each further step. */
const PAGE = 100;

interface IImpactProps {
  impact: IImpact;
  open: (urn: string) => void;
  trans: TranslationBundle;
}

function EntityRow(props: {
  entity: IImpactEntity;
  open: (urn: string) => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { entity, open, trans } = props;
  const { node, owner, last } = entity;
  return (
    <li>
      <button type="button" className="jp-Colophon-link" title={node.urn} onClick={() => open(node.urn)}>
        {getNodeName(node)}
      </button>
      <span className="jp-Colophon-subtitle">
        {owner === '' ? trans.__('no owner') : owner}
        {last !== '' && (
          <>
            {' · '}
            <RelativeTime time={last} trans={trans} />
          </>
        )}
      </span>
    </li>
  );
}

/** The downstream entities by type, with owners and ages. */
function EntityList({ impact, open, trans }: IImpactProps): React.JSX.Element {
  const [count, setCount] = React.useState(PAGE);
  const shown = impact.entities.slice(0, count);
  const types = [...new Set(shown.map(({ node }) => node.type))];
  return (
    <>
      {types.map(type => (
        <React.Fragment key={type}>
          <h4>{getTypeLabel(type, trans)}</h4>
          <ul className="jp-Colophon-impactList" aria-label={getTypeLabel(type, trans)}>
            {shown
              .filter(({ node }) => node.type === type)
              .map(entity => (
                <EntityRow key={entity.node.urn} entity={entity} open={open} trans={trans} />
              ))}
          </ul>
        </React.Fragment>
      ))}
      {count < impact.entities.length && (
        <button type="button" className="jp-Colophon-link" onClick={() => setCount(count + PAGE)}>
          {trans.__('Show %1 more', Math.min(PAGE, impact.entities.length - count))}
        </button>
      )}
    </>
  );
}

/** What a change would affect: numbers by type, owner, namespace and freshness, and the entities. */
export function Impact(props: IImpactProps): React.JSX.Element {
  const { impact, trans } = props;
  const { counts, entities } = impact;
  const ages = countAges(
    entities.map(({ last }) => last || undefined),
    new Date().toISOString()
  );
  const summary = trans._n('%1 downstream entity', '%1 downstream entities', counts.total);
  const save = (): void =>
    downloadFile('impact.csv', new Blob([formatImpactCsv(entities)], { type: 'text/csv;charset=utf-8' }));
  return (
    <section aria-label={trans.__('Impact')}>
      <h3>{trans.__('Impact')}</h3>
      <p role="status">
        {summary}
        {counts.truncated && ` · ${trans.__('counting was stopped at a limit')}`}
      </p>
      {counts.total > 0 && (
        <>
          <button type="button" className="jp-Colophon-button" onClick={save}>
            {trans.__('Save as CSV')}
          </button>
          <Counts title={trans.__('By type')} counts={counts.byType} getLabel={name => getTypeLabel(name, trans)} />
          <Counts
            title={trans.__('By owner')}
            counts={counts.byOwner}
            getLabel={name => name || trans.__('no owner')}
          />
          <Counts title={trans.__('By namespace')} counts={counts.byNamespace} getLabel={name => name} />
          <Counts title={trans.__('By freshness')} counts={ages} getLabel={name => getAgeLabel(name, trans)} />
          <EntityList {...props} />
        </>
      )}
    </section>
  );
}
