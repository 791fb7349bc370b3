import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { getTypeLabel } from '../../components/labels';
import { ProblemNote } from '../../components/problem';
import { useModel } from '../../components/use-model';
import type { LineageImpact } from '../../generated/api';
import { getTypeIcon } from '../../icons';
import type { DeletionModel, IAffectedEntity } from './model';

interface IDeletionProps {
  model: DeletionModel;
  trans: TranslationBundle;
}

/** Counts as text: `3 dataset, 1 program`. */
function formatCounts(
  counts: LineageImpact['byType'],
  label: (name: string) => string,
  trans: TranslationBundle
): string {
  return counts.map(({ name, count }) => trans.__('%1 × %2', count.toLocaleString(), label(name))).join(', ');
}

function Impact({ impact, trans }: { impact: LineageImpact; trans: TranslationBundle }): React.JSX.Element {
  const { total, byType, byOwner, byNamespace, truncated } = impact;
  const number = total.toLocaleString();
  return (
    <>
      <p>
        {truncated
          ? trans.__('At least %1 entities are downstream:', number)
          : trans._n('%1 entity is downstream:', '%1 entities are downstream:', total)}
      </p>
      <dl className="jp-Colophon-definitions">
        <dt>{trans.__('Type')}</dt>
        <dd>{formatCounts(byType, name => getTypeLabel(name, trans), trans)}</dd>
        <dt>{trans.__('Owner')}</dt>
        <dd>{formatCounts(byOwner, name => (name === '' ? trans.__('without an owner') : name), trans)}</dd>
        <dt>{trans.__('Namespace')}</dt>
        <dd>{formatCounts(byNamespace, name => name, trans)}</dd>
      </dl>
    </>
  );
}

function EntityList(props: {
  entities: readonly IAffectedEntity[];
  total: number;
  label: string;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { entities, total, label, trans } = props;
  return (
    <>
      <ul aria-label={label} className="jp-Colophon-affected" tabIndex={0}>
        {entities.map(({ urn, type, name }) => {
          const Icon = getTypeIcon(type).react;
          return (
            <li key={urn} title={urn}>
              <Icon tag="span" width="14px" aria-hidden="true" /> {name}
            </li>
          );
        })}
      </ul>
      {total > entities.length && (
        <p className="jp-Colophon-note">{trans.__('and %1 more', (total - entities.length).toLocaleString())}</p>
      )}
    </>
  );
}

/** What depends on the entity that is to be deleted. */
export function DeletionBody({ model, trans }: IDeletionProps): React.JSX.Element {
  const { impact, downstream, carriers, carrierCount, isUndoable, isLoaded, problem } = useModel(model);
  if (problem) {
    return <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />;
  }
  if (!isLoaded) {
    return <p role="status">{trans.__('Looking for what depends on it…')}</p>;
  }
  return (
    <div role="status">
      {impact !== null && impact.total > 0 && (
        <>
          <Impact impact={impact} trans={trans} />
          <EntityList entities={downstream} total={impact.total} label={trans.__('Downstream')} trans={trans} />
        </>
      )}
      {carrierCount > 0 && (
        <>
          <p>{trans._n('%1 entity refers to it:', '%1 entities refer to it:', carrierCount)}</p>
          <EntityList entities={carriers} total={carrierCount} label={trans.__('References')} trans={trans} />
        </>
      )}
      {(impact?.total ?? 0) + carrierCount === 0 && <p>{trans.__('Nothing in the catalog depends on it.')}</p>}
      <p>
        {isUndoable
          ? trans.__('Its metadata and history are kept, and it can be restored. The data itself is not deleted.')
          : trans.__('This cannot be undone; its history is kept.')}
      </p>
    </div>
  );
}
