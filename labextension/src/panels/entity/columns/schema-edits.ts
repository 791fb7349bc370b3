import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';

/** The aspect with the columns of a table. */
export const SCHEMA_ASPECT = 'schemaMetadata';

/** Returns the new path of a column; null if it is removed. */
type MapPath = (path: string) => string | null;

function getPath(field: ReadonlyJSONValue): string {
  return (field as { fieldPath: string }).fieldPath;
}

/** Changes the paths of the columns of a schema, also in its primary key. */
function mapPaths(schema: ReadonlyJSONObject, map: MapPath): ReadonlyJSONObject {
  const { fields = [], primaryKeys } = schema as { fields?: ReadonlyJSONValue[]; primaryKeys?: string[] };
  const kept = fields.flatMap(field => {
    const path = map(getPath(field));
    return path === null ? [] : [{ ...(field as ReadonlyJSONObject), fieldPath: path }];
  });
  const keys = primaryKeys?.map(map).filter(path => path !== null);
  return { ...schema, fields: kept, ...(keys ? { primaryKeys: keys } : {}) };
}

function isWithin(path: string, column: string): boolean {
  return path === column || path.startsWith(`${column}.`);
}

/** Returns a schema without a column and the columns inside it. */
export function removeColumn(schema: ReadonlyJSONObject, column: string): ReadonlyJSONObject {
  return mapPaths(schema, path => (isWithin(path, column) ? null : path));
}

/** Returns a schema in which a column, and the columns inside it, have another path. */
export function renameColumn(schema: ReadonlyJSONObject, column: string, name: string): ReadonlyJSONObject {
  return mapPaths(schema, path => (isWithin(path, column) ? name + path.slice(column.length) : path));
}
