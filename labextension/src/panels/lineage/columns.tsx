import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { IColumnEdge } from '../../lineage/graph';
import { Name } from '../../components/name';
import { shortUrn } from '../../model/urns';

interface IColumnsProps {
  columns: readonly IColumnEdge[];
  trans: TranslationBundle;
}

/** How a column is made of another; nothing where it is the same value. */
function wayWord(way: IColumnEdge['transformation'], trans: TranslationBundle): string {
  switch (way) {
    case 'identity':
      return '';
    case 'transformation':
      return trans.__('reckoned');
    case 'aggregation':
      return trans.__('aggregated');
    case 'join':
      return trans.__('joined by');
    case 'group_by':
      return trans.__('grouped by');
    case 'filter':
      return trans.__('filtered by');
    case 'sort':
      return trans.__('sorted by');
    case 'window':
      return trans.__('in a window');
    case 'conditional':
      return trans.__('decides');
    case 'indirect':
      return trans.__('indirectly');
  }
}

/** What has the same key, together, in the order in which the keys come. */
function grouped(columns: readonly IColumnEdge[], key: (column: IColumnEdge) => string): [string, IColumnEdge[]][] {
  const found = new Map<string, IColumnEdge[]>();
  for (const column of columns) {
    found.set(key(column), [...(found.get(key(column)) ?? []), column]);
  }
  return [...found];
}

function Sources({ columns, trans }: IColumnsProps): React.JSX.Element {
  return (
    <>
      {grouped(columns, column => shortUrn(column.source)).map(([data, made]) => (
        <p key={data}>
          ← <Name text={data} />:{' '}
          {made.map((column, at) => {
            const way = wayWord(column.transformation, trans);
            return (
              <React.Fragment key={at}>
                {at > 0 && ', '}
                <code>
                  <Name text={column.sourceField} />
                </code>
                {way !== '' && ` (${way})`}
              </React.Fragment>
            );
          })}
        </p>
      ))}
    </>
  );
}

/** Each column that is made, and of what. */
export function Columns({ columns, trans }: IColumnsProps): React.JSX.Element | null {
  if (columns.length === 0) {
    return null;
  }
  return (
    <section>
      <h3>{trans.__('Columns')}</h3>
      <ul className="jp-Colophon-columns" aria-label={trans.__('Columns')}>
        {grouped(columns, column => `${shortUrn(column.target)}.${column.targetField}`).map(([target, made]) => (
          <li key={target}>
            <code>
              <Name text={target} />
            </code>
            <Sources columns={made} trans={trans} />
          </li>
        ))}
      </ul>
    </section>
  );
}
