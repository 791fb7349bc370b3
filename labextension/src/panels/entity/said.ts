import type { Aspect, FieldsMetadata } from '../../generated/api';
import { asProblem } from '../../model/problem';
import type { ICatalog } from '../../tokens';

const PAGE = 500;

/** What people write of a column. */
export const OF_COLUMNS = 'businessMetadata';

/** What was said of one column, by scope. */
export type Said = FieldsMetadata['fields'][number];

/** What was said of all columns of a table, asked page after page. Rejects with a `CatalogProblem`. */
export async function saidOf(catalog: ICatalog, table: string, signal: AbortSignal | undefined): Promise<Said[]> {
  let page = await catalog.columns(table, { limit: PAGE }, signal);
  const said = [...page.fields];
  while (page.cursor !== null) {
    page = await catalog.columns(table, { limit: PAGE, cursor: page.cursor }, signal);
    said.push(...page.fields);
  }
  return said;
}

/** What people wrote of a column; null where nobody did. Rejects with a `CatalogProblem`. */
export async function writtenOf(catalog: ICatalog, column: string): Promise<Aspect | null> {
  try {
    return await catalog.aspect(column, OF_COLUMNS);
  } catch (reason) {
    const problem = asProblem(reason);
    if (problem.kind === 'absent') {
      return null;
    }
    throw problem;
  }
}
