import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { formatShare } from './figures';
import type { IColumnStatistics, ISpread } from './profile';

const MEAN = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 6 });
const WIDTH = 96;
const HEIGHT = 16;

interface IFigureProps {
  column: IColumnStatistics;
  trans: TranslationBundle;
}

/** The share of nulls as a bar with a percentage, or their number. */
export function Nulls({ column, trans }: IFigureProps): React.JSX.Element | null {
  const { nulls, nullShare } = column;
  if (nulls === undefined && nullShare === undefined) {
    return null;
  }
  const number = nulls?.toLocaleString() ?? '';
  return (
    <span className="jp-Colophon-nulls" title={number === '' ? undefined : trans.__('%1 null', number)}>
      {nullShare !== undefined && (
        <span className="jp-Colophon-bar" aria-hidden="true">
          <span style={{ width: `${nullShare * 100}%` }} />
        </span>
      )}
      {nullShare === undefined ? number : formatShare(nullShare)}
    </span>
  );
}

/** The mean of the values, rounded; the tooltip has the exact value. */
export function Mean({ column, trans }: IFigureProps): React.JSX.Element | null {
  const { mean, deviation } = column;
  if (mean === undefined) {
    return null;
  }
  const exact = deviation === undefined ? mean : trans.__('%1, standard deviation %2', mean, deviation);
  return <span title={exact}>{Number.isNaN(Number(mean)) ? mean : MEAN.format(Number(mean))}</span>;
}

/** A line from the minimum to the maximum, a box between the quartiles, and a mark at the median. */
function Spread({ spread, trans }: { spread: ISpread; trans: TranslationBundle }): React.JSX.Element {
  const { low, middle, high, positions } = spread;
  const [from, mark, to] = positions.map(place => 1 + place * (WIDTH - 2)) as [number, number, number];
  const description = trans.__('Quartiles: %1 to %2, median %3', low, high, middle);
  return (
    <svg className="jp-Colophon-spread" role="img" aria-label={description} width={WIDTH} height={HEIGHT}>
      <title>{description}</title>
      <line x1={1} x2={WIDTH - 1} y1={8} y2={8} />
      <rect x={from} width={Math.max(to - from, 1)} y={3} height={10} />
      <line className="jp-Colophon-median" x1={mark} x2={mark} y1={1} y2={15} />
    </svg>
  );
}

/** A bar for each interval of the values. */
function Histogram({ heights, trans }: { heights: readonly number[]; trans: TranslationBundle }): React.JSX.Element {
  const description = trans._n('Histogram of %1 interval', 'Histogram of %1 intervals', heights.length);
  const width = WIDTH / heights.length;
  return (
    <svg className="jp-Colophon-histogram" role="img" aria-label={description} width={WIDTH} height={HEIGHT}>
      <title>{description}</title>
      {heights.map((height, index) => (
        <rect
          key={index}
          x={index * width}
          width={Math.max(width - 1, 1)}
          y={HEIGHT * (1 - height)}
          height={HEIGHT * height}
        />
      ))}
    </svg>
  );
}

/** The distribution of the values: a histogram if it is known, else the quartiles. */
export function Distribution({ column, trans }: IFigureProps): React.JSX.Element | null {
  const { histogram, spread } = column;
  if (histogram !== undefined) {
    return <Histogram heights={histogram} trans={trans} />;
  }
  return spread === undefined ? null : <Spread spread={spread} trans={trans} />;
}
