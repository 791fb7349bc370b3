import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { Name } from '../../components/name';
import { TableRoom } from '../../components/table-room';
import { moment } from '../../components/words';
import type { IColumnFigures, IProfile, ISpread } from './profile';

const SHARE = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
const MEAN = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 6 });
const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

function size(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), BYTE_UNITS.length - 1);
  return `${(bytes / 1000 ** power).toLocaleString(undefined, { maximumFractionDigits: 1 })} ${BYTE_UNITS[power]}`;
}

/** The share of nulls as a bar, with the count in words beside it. */
function Nulls({ column, trans }: { column: IColumnFigures; trans: TranslationBundle }): React.JSX.Element | null {
  const { nulls, nullShare } = column;
  if (nulls === undefined) {
    return null;
  }
  const told = nullShare === undefined ? '' : SHARE.format(nullShare);
  return (
    <span className="jp-Colophon-nulls" title={trans.__('%1 empty', told || nulls.toLocaleString())}>
      <span className="jp-Colophon-bar" aria-hidden="true">
        <span style={{ width: `${(nullShare ?? 0) * 100}%` }} />
      </span>
      {nulls.toLocaleString()}
    </span>
  );
}

function Mean({ column, trans }: { column: IColumnFigures; trans: TranslationBundle }): React.JSX.Element | null {
  const { mean, deviation } = column;
  if (mean === undefined) {
    return null;
  }
  const exact = deviation === undefined ? mean : trans.__('%1, standard deviation %2', mean, deviation);
  return <span title={exact}>{Number.isNaN(Number(mean)) ? mean : MEAN.format(Number(mean))}</span>;
}

const SPREAD_WIDTH = 96;

/** A line from the least value to the most, a box for the middle half of them, and a mark for the median. */
function Spread({ spread, trans }: { spread: ISpread; trans: TranslationBundle }): React.JSX.Element {
  const { low, middle, high, places } = spread;
  const [from, mark, to] = places.map(place => 1 + place * (SPREAD_WIDTH - 2)) as [number, number, number];
  const told = trans.__('Half of the values are between %1 and %2, the median is %3', low, high, middle);
  return (
    <svg className="jp-Colophon-spread" role="img" aria-label={told} width={SPREAD_WIDTH} height={14}>
      <title>{told}</title>
      <line x1={1} x2={SPREAD_WIDTH - 1} y1={7} y2={7} />
      <rect x={from} width={Math.max(to - from, 1)} y={2} height={10} />
      <line className="jp-Colophon-median" x1={mark} x2={mark} y1={0} y2={14} />
    </svg>
  );
}

/** How the data looked when somebody counted it. */
export function ProfileTable({ profile, trans }: { profile: IProfile; trans: TranslationBundle }): React.JSX.Element {
  const { rows, bytes, part, columns } = profile;
  const [hasMeans, hasSpreads] = [columns.some(one => one.mean), columns.some(one => one.spread)];
  const head = [
    rows === undefined ? '' : trans._n('%1 row', '%1 rows', rows).replace(String(rows), rows.toLocaleString()),
    bytes === undefined ? '' : size(bytes),
    part === undefined ? '' : trans.__('the columns of a part: %1', part),
    trans.__('as of %1', moment(profile.time))
  ];
  return (
    <>
      <p className="jp-Colophon-note">{head.filter(word => word !== '').join(' · ')}</p>
      {columns.length > 0 && (
        <TableRoom label={trans.__('Profile of columns')}>
          <thead>
            <tr>
              <th scope="col">{trans.__('Column')}</th>
              <th scope="col">{trans.__('Empty')}</th>
              <th scope="col" className="jp-Colophon-figure">
                {trans.__('Distinct, about')}
              </th>
              <th scope="col">{trans.__('Least')}</th>
              <th scope="col">{trans.__('Most')}</th>
              {hasMeans && (
                <th scope="col" className="jp-Colophon-figure">
                  {trans.__('Mean')}
                </th>
              )}
              {hasSpreads && <th scope="col">{trans.__('Spread')}</th>}
            </tr>
          </thead>
          <tbody>
            {columns.map(column => (
              <tr key={column.path}>
                <th scope="row">
                  <Name text={column.path} />
                </th>
                <td>
                  <Nulls column={column} trans={trans} />
                </td>
                <td className="jp-Colophon-figure">{column.distinct?.toLocaleString()}</td>
                <td className="jp-Colophon-text-cell">{column.least}</td>
                <td className="jp-Colophon-text-cell">{column.most}</td>
                {hasMeans && (
                  <td className="jp-Colophon-figure">
                    <Mean column={column} trans={trans} />
                  </td>
                )}
                {hasSpreads && <td>{column.spread && <Spread spread={column.spread} trans={trans} />}</td>}
              </tr>
            ))}
          </tbody>
        </TableRoom>
      )}
    </>
  );
}
