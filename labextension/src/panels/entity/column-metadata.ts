import type { Aspect, FieldsMetadata } from '../../generated/api';
import { asProblem } from '../../model/problem';
import type { ICatalog } from '../../tokens';

const PAGE = 500;

/** The aspect in which people annotate a column. */
export const COLUMN_ASPECT = 'businessMetadata';

/** The metadata of one column, from every aspect that describes it. */
export type ColumnMetadata = FieldsMetadata['fields'][number];

/** Reads the metadata of all columns of a table, page after page. Rejects with a `CatalogProblem`. */
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

/** Reads the annotation of a column by people; null if there is none. Rejects with a `CatalogProblem`. */
export async function readColumnAspect(catalog: ICatalog, column: string): Promise<Aspect | null> {
  try {
    return await catalog.call('readAspect', { urn: column, aspect: COLUMN_ASPECT });
  } catch (reason) {
    const problem = asProblem(reason);
    if (problem.kind === 'absent') {
      return null;
    }
    throw problem;
  }
}
