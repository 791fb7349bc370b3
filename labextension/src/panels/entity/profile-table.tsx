import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { Name } from '../pieces/name';
import { TableRoom } from '../pieces/table-room';
import { moment } from '../pieces/words';
import type { IColumnFigures, IProfile } from './profile';

const SHARE = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
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

/** How the data looked when somebody counted it. */
export function ProfileTable({ profile, trans }: { profile: IProfile; trans: TranslationBundle }): React.JSX.Element {
  const { rows, bytes, part } = profile;
  const head = [
    rows === undefined ? '' : trans._n('%1 row', '%1 rows', rows).replace(String(rows), rows.toLocaleString()),
    bytes === undefined ? '' : size(bytes),
    part === undefined ? '' : trans.__('the columns of a part: %1', part),
    trans.__('as of %1', moment(profile.time))
  ];
  return (
    <>
      <p className="jp-Colophon-note">{head.filter(word => word !== '').join(' · ')}</p>
      {profile.columns.length > 0 && (
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
            </tr>
          </thead>
          <tbody>
            {profile.columns.map(column => (
              <tr key={column.path}>
                <th scope="row">
                  <Name text={column.path} />
                </th>
                <td>
                  <Nulls column={column} trans={trans} />
                </td>
                <td className="jp-Colophon-figure">{column.distinct?.toLocaleString()}</td>
                <td className="jp-Colophon-told">{column.least}</td>
                <td className="jp-Colophon-told">{column.most}</td>
              </tr>
            ))}
          </tbody>
        </TableRoom>
      )}
    </>
  );
}
