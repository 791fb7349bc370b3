import type { IColumnEdge, IGraph } from './graph';

/** A column of a table in the graph. */
export interface IColumn {
  urn: string;
  field: string;
}

/** The columns that a card shows as rows. */
export interface ICardColumns {
  /** The shown columns, from top to bottom. */
  fields: readonly string[];
  /** The number of columns that are not shown. */
  hidden: number;
}

/** The number of columns that a card shows at first. */
export const FIRST_COLUMNS = 8;
/** The number of columns that are added at once. */
export const NEXT_COLUMNS = 25;

const CONTROLS: ReadonlySet<IColumnEdge['transformation']> = new Set([
  'join',
  'group_by',
  'filter',
  'sort',
  'window',
  'conditional',
  'indirect'
]);

/** Whether a column only controls which rows there are, and its values do not flow into the other column. */
export function isControl(edge: Pick<IColumnEdge, 'transformation'>): boolean {
  return CONTROLS.has(edge.transformation);
}

/** Returns the identity of a column within a graph. */
export function getFieldId({ urn, field }: IColumn): string {
  return `${urn}\u241f${field}`;
}

const getSourceId = (edge: IColumnEdge): string => getFieldId({ urn: edge.source, field: edge.sourceField });
const getTargetId = (edge: IColumnEdge): string => getFieldId({ urn: edge.target, field: edge.targetField });

/** Lists the columns with lineage of each table, those with most edges first. */
export function listColumns(graph: IGraph): Map<string, string[]> {
  const counts = new Map<string, Map<string, number>>();
  const count = (urn: string, field: string): void => {
    const fields = counts.get(urn) ?? new Map<string, number>();
    counts.set(urn, fields.set(field, (fields.get(field) ?? 0) + 1));
  };
  graph.columns.forEach(edge => {
    count(edge.source, edge.sourceField);
    count(edge.target, edge.targetField);
  });
  return new Map(
    [...counts].map(([urn, fields]) => [
      urn,
      [...fields].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([field]) => field)
    ])
  );
}

/** Chooses the columns that a card shows: the first ones, and those that are kept in any case. */
export function selectColumns(all: readonly string[], room: number, kept: ReadonlySet<string>): ICardColumns {
  const fields = all.filter((field, index) => index < room || kept.has(field));
  return { fields, hidden: all.length - fields.length };
}

/** Follows edges between columns from one column in one direction. */
function followColumns(
  edges: readonly IColumnEdge[],
  start: string,
  getFrom: (edge: IColumnEdge) => string,
  getTo: (edge: IColumnEdge) => string
): { fields: Set<string>; edges: Set<IColumnEdge> } {
  const lists = new Map<string, IColumnEdge[]>();
  for (const edge of edges) {
    const list = lists.get(getFrom(edge));
    if (list) {
      list.push(edge);
    } else {
      lists.set(getFrom(edge), [edge]);
    }
  }
  const found = { fields: new Set([start]), edges: new Set<IColumnEdge>() };
  for (const field of found.fields) {
    for (const edge of lists.get(field) ?? []) {
      found.edges.add(edge);
      found.fields.add(getTo(edge));
    }
  }
  return found;
}

/** The columns and edges from which a column is made, and that are made from it. */
export interface IColumnPath {
  /** The columns by `getFieldId`. */
  fields: ReadonlySet<string>;
  edges: ReadonlySet<IColumnEdge>;
}

/** Follows a column through the graph: upstream to its sources, and downstream to what is made from it. */
export function traceColumn(edges: readonly IColumnEdge[], column: IColumn): IColumnPath {
  const start = getFieldId(column);
  const upstream = followColumns(edges, start, getTargetId, getSourceId);
  const downstream = followColumns(edges, start, getSourceId, getTargetId);
  return {
    fields: new Set([...upstream.fields, ...downstream.fields]),
    edges: new Set([...upstream.edges, ...downstream.edges])
  };
}
