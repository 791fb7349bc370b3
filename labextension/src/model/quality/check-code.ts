import type { Entity } from '../../generated/api';
import { createLoadCode } from '../notebooks/load-code';

/** Returns the code of a cell that checks the expectations of a dataset; it loads the data where that is possible. */
export function createCheckCode(entity: Pick<Entity, 'urn' | 'name' | 'aspects'>): string {
  const loading = createLoadCode(entity, 'spark')?.code ?? null;
  const variable = loading === null ? null : /^(\w+) = /.exec(loading)?.[1];
  const check = `metadata.check(${variable ?? 'data'}, ${JSON.stringify(entity.urn)})`;
  const session = ['from jupyter_colophon.spark.session import get_session', '', 'spark = get_session()'];
  return [
    'from jupyter_colophon import metadata',
    ...(loading === null ? [''] : session),
    loading ?? '# data: a DataFrame of Spark or pandas with the rows to check',
    check
  ].join('\n');
}
