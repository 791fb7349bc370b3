import type { WriteResult } from '../../generated/api';
import type { ICatalog } from '../../tokens';

/** Writes an aspect. `version` is the version that was read, or 0 for a new aspect. Rejects with a `CatalogProblem`. */
export function writeAspect(
  catalog: ICatalog,
  urn: string,
  aspect: string,
  value: object,
  version: number
): Promise<WriteResult> {
  const condition = version > 0 ? { 'If-Match': `"${version}"` } : { 'If-None-Match': '*' };
  return catalog.call('writeAspect', { urn, aspect, ...condition }, { body: value });
}
