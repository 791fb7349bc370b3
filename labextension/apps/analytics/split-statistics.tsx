import React from 'react';
import { Distribution, listBars } from './charts/distribution';
import { EntityLinks, Table } from './controls';
import type { ColumnStatistics, ISplit } from './documents';
import { formatNumber } from './labels';
import type { IViewProps } from './view';

/** How many categories are named below their bars. */
const NAMED_MAX = 5;

/** The figures of a column in one part. */
function Figures({
  column,
  part,
  trans
}: {
  column: ColumnStatistics;
  part: 'train' | 'test';
  trans: IViewProps['trans'];
}): React.JSX.Element {
  const { count, nulls, distinct } = column[part];
  const figures = [
    trans.__('%1 values', count.toLocaleString()),
    trans.__('%1 null', nulls.toLocaleString()),
    trans.__('%1 distinct', distinct.toLocaleString())
  ];
  if (column.type === 'numeric') {
    const { min, max, mean, stddev } = column[part];
    figures.push(
      trans.__('%1 to %2', formatNumber(min), formatNumber(max)),
      trans.__('mean %1', formatNumber(mean)),
      trans.__('standard deviation %1', formatNumber(stddev))
    );
  }
  const bars = listBars(column, part);
  const named = bars.slice(0, NAMED_MAX).map(({ label, value }) => `${label} ${value.toLocaleString()}`);
  return (
    <>
      {column.type === 'categorical' && (
        <p className="jp-Colophon-help">{[...named, ...(bars.length > NAMED_MAX ? ['…'] : [])].join(' · ')}</p>
      )}
      <p className="jp-Colophon-help">{figures.join(' · ')}</p>
    </>
  );
}

/** Whether a column has the same distribution in both parts. */
function Similarity({ column, trans }: { column: ColumnStatistics; trans: IViewProps['trans'] }): React.JSX.Element {
  const { similarity } = column;
  if (similarity === null) {
    return <>{trans.__('too few values')}</>;
  }
  return (
    <>
      {similarity.similar ? trans.__('similar') : <strong>{trans.__('different')}</strong>}
      <p className="jp-Colophon-help">{trans.__('%1, p = %2', similarity.test, formatNumber(similarity.pValue))}</p>
    </>
  );
}

/** Warns of columns whose distributions differ. */
function DifferenceHint({
  statistics,
  trans
}: {
  statistics: readonly ColumnStatistics[];
  trans: IViewProps['trans'];
}): React.JSX.Element {
  const different = statistics.filter(({ similarity }) => similarity?.similar === false).map(({ column }) => column);
  if (different.length === 0) {
    return <p className="jp-Colophon-note">{trans.__('No column differs significantly between the parts.')}</p>;
  }
  return (
    <p className="jp-Analytics-hint">
      {trans.__(
        'The parts differ in %1: metrics of the test part may mislead. Create a split with another seed, or a stratified one.',
        different.join(', ')
      )}
    </p>
  );
}

/** The statistics of the columns in both parts of a split. */
export function SplitStatistics({ split, metadata, trans }: IViewProps & { split: ISplit }): React.JSX.Element {
  const { name, statistics, train, test } = split;
  const label = trans.__('Statistics of %1', name);
  return (
    <section aria-label={label}>
      <h4>{label}</h4>
      <div className="jp-Colophon-actions">
        <EntityLinks what={trans.__('training part')} urn={train?.dataset} metadata={metadata} trans={trans} />
        <EntityLinks what={trans.__('test part')} urn={test?.dataset} metadata={metadata} trans={trans} />
      </div>
      {statistics && (
        <>
          <DifferenceHint statistics={statistics} trans={trans} />
          <Table label={label}>
            <thead>
              <tr>
                <th scope="col">{trans.__('Column')}</th>
                <th scope="col">{trans.__('Training part')}</th>
                <th scope="col">{trans.__('Test part')}</th>
                <th scope="col">{trans.__('Comparison')}</th>
              </tr>
            </thead>
            <tbody>
              {statistics.map(column => (
                <tr key={column.column}>
                  <th scope="row">{column.column}</th>
                  {(['train', 'test'] as const).map(part => (
                    <td key={part}>
                      <Distribution column={column} part={part} trans={trans} />
                      <Figures column={column} part={part} trans={trans} />
                    </td>
                  ))}
                  <td>
                    <Similarity column={column} trans={trans} />
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
        </>
      )}
    </section>
  );
}
