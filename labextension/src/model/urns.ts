/** A column, as its URN tells it. */
interface IColumn {
  /** The URN of the table that it is of. */
  table: string;
  path: string;
}

/** The URN of a column holds that of its table; commas and parentheses of names are escaped. */
const COLUMN_URN = /^urn:li:schemaField:\((urn:li:.+),([^,()]+)\)$/;

/** Of what the server tells lineage: data (tables, files, streams) and programs. */
const WITH_LINEAGE = /^urn:li:(?:dataset|dataJob):/;

/** Whether lineage can be asked of an entity. */
export function hasLineage(urn: string): boolean {
  return WITH_LINEAGE.test(urn);
}

/** What a column is called and of which table it is; null for the URN of anything else. */
export function columnOf(urn: string): IColumn | null {
  const [, table, path] = COLUMN_URN.exec(urn) ?? [];
  return table === undefined || path === undefined ? null : { table, path: unescaped(path) };
}

/** The URN of a column of a table. */
export function columnUrn(table: string, path: string): string {
  // `encodeURIComponent` leaves parentheses as they are.
  const part = path.replace(/[%,()\u241f]/g, found => ({ '(': '%28', ')': '%29' })[found] ?? encodeURIComponent(found));
  return `urn:li:schemaField:(${table},${part})`;
}

/** The plain path of a column: DataHub's paths of the second version without their types and versions. */
export function columnPath(path: string): string {
  return path.startsWith('[') ? path.replace(/\[[^\]]*\]\.?/g, '') || path : path;
}

/** The last part of a URN that a person recognises. */
export function shortUrn(urn: string): string {
  const column = columnOf(urn);
  const inner = /\((?:.*?,)?([^,]+),[^,]*\)$/.exec(urn)?.[1] ?? urn.split(':').at(-1) ?? urn;
  return column === null ? unescaped(inner) : `${shortUrn(column.table)}.${column.path}`;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
