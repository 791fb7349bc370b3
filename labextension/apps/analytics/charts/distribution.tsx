import React from 'react';
import { BarChart, type IBar } from '../../bar-chart';
import type { ColumnStatistics } from '../documents';
import { formatNumber } from '../labels';
import type { IViewProps } from '../view';
import { getLook } from './series';

/** Returns the bars of one part: intervals, or the most frequent values of both parts in the same order. */
export function listBars(column: ColumnStatistics, part: 'train' | 'test'): IBar[] {
  if (column.type === 'numeric') {
    return column[part].histogram.map(({ from, to, count }) => ({
      label: `${formatNumber(from)} – ${formatNumber(to)}`,
      value: count
    }));
  }
  const values = new Set([...column.train.topValues, ...column.test.topValues].map(({ value }) => value));
  return [...values].map(label => ({
    label,
    value: column[part].topValues.find(({ value }) => value === label)?.count ?? 0
  }));
}

/** Returns the largest share of the values that a bar of the part has. */
function getLargestShare(column: ColumnStatistics, part: 'train' | 'test'): number {
  const total = Math.max(column[part].count, 1);
  return Math.max(0, ...listBars(column, part).map(({ value }) => value / total));
}

/** The distribution of a column in one part; bars are shares of the values, so that parts of any size compare. */
export function Distribution(props: {
  column: ColumnStatistics;
  part: 'train' | 'test';
  trans: IViewProps['trans'];
}): React.JSX.Element {
  const { column, part, trans } = props;
  const bars = listBars(column, part);
  const largest = Math.max(getLargestShare(column, 'train'), getLargestShare(column, 'test'));
  const name = part === 'train' ? trans.__('training part') : trans.__('test part');
  const text = bars.map(({ label, value }) => `${label}: ${value}`).join('; ');
  return (
    <BarChart
      bars={bars}
      label={trans.__('%1 in the %2. %3', column.column, name, text)}
      width={200}
      height={56}
      most={largest * column[part].count}
      color={getLook(part === 'train' ? 0 : 1).color}
    />
  );
}
