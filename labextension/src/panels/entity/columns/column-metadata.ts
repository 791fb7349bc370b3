import type { Aspect, FieldsMetadata } from '../../../generated/api';
import { toProblem } from '../../../model/problem';
import type { ICatalog } from '../../../tokens';
import type { IColumn } from './columns';
import { listColumns } from './columns';
import { USER_ASPECT } from '../metadata/user-metadata';

const PAGE = 500;

/** The metadata of one column, from all aspects that describe it. */
export type ColumnMetadata = FieldsMetadata['fields'][number];

/** Reads the metadata of all columns of a table. Rejects with a `CatalogProblem`. */
export async function readColumnMetadata(
  catalog: ICatalog,
  table: string,
  signal: AbortSignal | undefined
): Promise<ColumnMetadata[]> {
  const ask = (cursor?: string): Promise<FieldsMetadata> =>
    catalog.call('listFieldsMetadata', { urn: table, limit: PAGE, cursor }, { signal });
  let page = await ask();
  const columns = [...page.fields];
  while (page.cursor !== null) {
    page = await ask(page.cursor);
    columns.push(...page.fields);
  }
  return columns;
}

/** Reads a column in the schema of its table; null if the schema does not have it. Rejects with a `CatalogProblem`. */
export async function readSchemaColumn(
  catalog: ICatalog,
  column: { table: string; path: string }
): Promise<IColumn | null> {
  const table = await catalog.call('readEntity', { urn: column.table, aspects: 'schemaMetadata' });
  return listColumns(table, [], undefined).find(({ path }) => path === column.path) ?? null;
}

/** Reads the user metadata of a column; null if there is none. Rejects with a `CatalogProblem`. */
export async function readColumnAspect(catalog: ICatalog, column: string): Promise<Aspect | null> {
  try {
    return await catalog.call('readAspect', { urn: column, aspect: USER_ASPECT });
  } catch (reason) {
    const problem = toProblem(reason);
    if (problem.kind === 'not-found') {
      return null;
    }
    throw problem;
  }
}
