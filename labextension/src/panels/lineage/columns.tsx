import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { IColumnEdge } from '../../lineage/graph';
import { BreakableName } from '../../components/breakable-name';
import { getLastPart } from '../../components/labels';
import { shortenUrn } from '../../model/urns';

interface IColumnsProps {
  columns: readonly IColumnEdge[];
  trans: TranslationBundle;
}

/** Returns the label of a transformation; empty if the value is copied. */
function getTransformationLabel(transformation: IColumnEdge['transformation'], trans: TranslationBundle): string {
  switch (transformation) {
    case 'identity':
      return '';
    case 'transformation':
      return trans.__('computed');
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
      return trans.__('window function');
    case 'conditional':
      return trans.__('condition');
    case 'indirect':
      return trans.__('indirect');
  }
}

/** Returns the table and the name of a target column; of a path the last part, since the tooltip has the others. */
function formatTarget({ target, targetField }: IColumnEdge): string {
  return `${getLastPart(shortenUrn(target))}.${targetField}`;
}

/** Groups columns by a key, in the order of the keys. */
function groupBy(columns: readonly IColumnEdge[], getKey: (column: IColumnEdge) => string): [string, IColumnEdge[]][] {
  const groups = new Map<string, IColumnEdge[]>();
  for (const column of columns) {
    groups.set(getKey(column), [...(groups.get(getKey(column)) ?? []), column]);
  }
  return [...groups];
}

function Sources({ columns, trans }: IColumnsProps): React.JSX.Element {
  return (
    <>
      {groupBy(columns, column => column.source).map(([source, columns]) => (
        <p key={source} title={source}>
          ← <BreakableName text={getLastPart(shortenUrn(source))} />:{' '}
          {columns.map((column, index) => {
            const transformation = getTransformationLabel(column.transformation, trans);
            return (
              <React.Fragment key={index}>
                {index > 0 && ', '}
                <code>
                  <BreakableName text={column.sourceField} />
                </code>
                {transformation !== '' && ` (${transformation})`}
              </React.Fragment>
            );
          })}
        </p>
      ))}
    </>
  );
}

/** The target columns with their sources. */
export function Columns({ columns, trans }: IColumnsProps): React.JSX.Element | null {
  if (columns.length === 0) {
    return null;
  }
  return (
    <section>
      <h3>{trans.__('Columns')}</h3>
      <ul className="jp-Colophon-columns" aria-label={trans.__('Columns')}>
        {groupBy(columns, column => `${column.target}.${column.targetField}`).map(([key, columns]) => (
          <li key={key} title={columns[0]?.target}>
            <code>
              <BreakableName text={formatTarget(columns[0]!)} />
            </code>
            <Sources columns={columns} trans={trans} />
          </li>
        ))}
      </ul>
    </section>
  );
}
