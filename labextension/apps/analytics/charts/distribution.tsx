import React from 'react';
import type { ColumnStatistics } from '../documents';
import { formatNumber } from '../labels';
import type { IViewProps } from '../view';
import { getLook } from './series';

const WIDTH = 200;
const HEIGHT = 56;

/** A bar of a part: what it counts, and the number. */
interface IBar {
  label: string;
  count: number;
}

/** Returns the bars of one part: intervals, or the most frequent values of both parts in the same order. */
function listBars(column: ColumnStatistics, part: 'train' | 'test'): IBar[] {
  if (column.type === 'numeric') {
    return column[part].histogram.map(({ from, to, count }) => ({
      label: `${formatNumber(from)} – ${formatNumber(to)}`,
      count
    }));
  }
  const values = new Set([...column.train.topValues, ...column.test.topValues].map(({ value }) => value));
  return [...values].map(label => ({
    label,
    count: column[part].topValues.find(({ value }) => value === label)?.count ?? 0
  }));
}

/** The distribution of a column in one part; bars are shares of the values, so that parts of any size compare. */
export function Distribution(props: {
  column: ColumnStatistics;
  part: 'train' | 'test';
  trans: IViewProps['trans'];
}): React.JSX.Element {
  const { column, part, trans } = props;
  const bars = listBars(column, part);
  const share = ({ count }: IBar, total: number): number => (total > 0 ? count / total : 0);
  const most = Math.max(
    ...(['train', 'test'] as const).flatMap(other =>
      listBars(column, other).map(bar => share(bar, column[other].count))
    ),
    Number.MIN_VALUE
  );
  const name = part === 'train' ? trans.__('training part') : trans.__('test part');
  const text = bars.map(({ label, count }) => `${label}: ${count}`).join('; ');
  const width = WIDTH / Math.max(bars.length, 1);
  return (
    <svg
      role="img"
      aria-label={trans.__('%1 in the %2. %3', column.column, name, text)}
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
    >
      {bars.map((bar, index) => {
        const height = (share(bar, column[part].count) / most) * (HEIGHT - 2);
        return (
          <rect
            key={bar.label}
            x={index * width}
            y={HEIGHT - height}
            width={Math.max(width - 1, 1)}
            height={height}
            style={{ fill: getLook(part === 'train' ? 0 : 1).color }}
          >
            <title>{`${bar.label}: ${bar.count.toLocaleString()}`}</title>
          </rect>
        );
      })}
      <path className="jp-Analytics-axis" d={`M0,${HEIGHT}H${WIDTH}`} />
    </svg>
  );
}
