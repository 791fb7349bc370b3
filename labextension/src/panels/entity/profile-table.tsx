import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { BreakableName } from '../../components/breakable-name';
import { ScrollableTable } from '../../components/scrollable-table';
import { formatTime } from '../../components/labels';
import type { IColumnStatistics, IProfile, ISpread } from './profile';

const SHARE = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
const MEAN = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 6 });
const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), BYTE_UNITS.length - 1);
  return `${(bytes / 1000 ** power).toLocaleString(undefined, { maximumFractionDigits: 1 })} ${BYTE_UNITS[power]}`;
}

/** The share of nulls as a bar, with their number. */
function Nulls({ column, trans }: { column: IColumnStatistics; trans: TranslationBundle }): React.JSX.Element | null {
  const { nulls, nullShare } = column;
  if (nulls === undefined) {
    return null;
  }
  const share = nullShare === undefined ? '' : SHARE.format(nullShare);
  return (
    <span className="jp-Colophon-nulls" title={trans.__('%1 null', share || nulls.toLocaleString())}>
      <span className="jp-Colophon-bar" aria-hidden="true">
        <span style={{ width: `${(nullShare ?? 0) * 100}%` }} />
      </span>
      {nulls.toLocaleString()}
    </span>
  );
}

function Mean({ column, trans }: { column: IColumnStatistics; trans: TranslationBundle }): React.JSX.Element | null {
  const { mean, deviation } = column;
  if (mean === undefined) {
    return null;
  }
  const exact = deviation === undefined ? mean : trans.__('%1, standard deviation %2', mean, deviation);
  return <span title={exact}>{Number.isNaN(Number(mean)) ? mean : MEAN.format(Number(mean))}</span>;
}

const SPREAD_WIDTH = 96;

/** A line from the minimum to the maximum, a box between the quartiles, and a mark at the median. */
function Spread({ spread, trans }: { spread: ISpread; trans: TranslationBundle }): React.JSX.Element {
  const { low, middle, high, positions } = spread;
  const [from, mark, to] = positions.map(place => 1 + place * (SPREAD_WIDTH - 2)) as [number, number, number];
  const description = trans.__('Quartiles: %1 to %2, median %3', low, high, middle);
  return (
    <svg className="jp-Colophon-spread" role="img" aria-label={description} width={SPREAD_WIDTH} height={14}>
      <title>{description}</title>
      <line x1={1} x2={SPREAD_WIDTH - 1} y1={7} y2={7} />
      <rect x={from} width={Math.max(to - from, 1)} y={2} height={10} />
      <line className="jp-Colophon-median" x1={mark} x2={mark} y1={0} y2={14} />
    </svg>
  );
}

/** The profile of a dataset at a point in time. */
export function ProfileTable({ profile, trans }: { profile: IProfile; trans: TranslationBundle }): React.JSX.Element {
  const { rows, bytes, partition, columns } = profile;
  const [hasMeans, hasSpreads] = [columns.some(column => column.mean), columns.some(column => column.spread)];
  const facts = [
    rows === undefined ? '' : trans._n('%1 row', '%1 rows', rows).replace(String(rows), rows.toLocaleString()),
    bytes === undefined ? '' : formatBytes(bytes),
    partition === undefined ? '' : trans.__('column statistics of a sample: %1', partition),
    trans.__('as of %1', formatTime(profile.time))
  ];
  return (
    <>
      <p className="jp-Colophon-note">{facts.filter(word => word !== '').join(' · ')}</p>
      {columns.length > 0 && (
        <ScrollableTable label={trans.__('Profile of columns')}>
          <thead>
            <tr>
              <th scope="col">{trans.__('Column')}</th>
              <th scope="col">{trans.__('Null')}</th>
              <th scope="col" className="jp-Colophon-number">
                {trans.__('Distinct (approx.)')}
              </th>
              <th scope="col">{trans.__('Minimum')}</th>
              <th scope="col">{trans.__('Maximum')}</th>
              {hasMeans && (
                <th scope="col" className="jp-Colophon-number">
                  {trans.__('Mean')}
                </th>
              )}
              {hasSpreads && <th scope="col">{trans.__('Distribution')}</th>}
            </tr>
          </thead>
          <tbody>
            {columns.map(column => (
              <tr key={column.path}>
                <th scope="row">
                  <BreakableName text={column.path} />
                </th>
                <td>
                  <Nulls column={column} trans={trans} />
                </td>
                <td className="jp-Colophon-number">{column.distinct?.toLocaleString()}</td>
                <td className="jp-Colophon-text-cell">{column.min}</td>
                <td className="jp-Colophon-text-cell">{column.max}</td>
                {hasMeans && (
                  <td className="jp-Colophon-number">
                    <Mean column={column} trans={trans} />
                  </td>
                )}
                {hasSpreads && <td>{column.spread && <Spread spread={column.spread} trans={trans} />}</td>}
              </tr>
            ))}
          </tbody>
        </ScrollableTable>
      )}
    </>
  );
}
