import type { Me } from '../generated/api';
import type { ICatalog } from '../tokens';

/** How much of the catalog the user may read, and whom to ask for more. */
export type ReadPermission = Pick<Me, 'readable' | 'stewards'>;

/** Reads how much of the catalog the user may read; null if that is unknown, as on a server of an earlier version. */
export async function readPermission(catalog: ICatalog, signal: AbortSignal): Promise<ReadPermission | null> {
  try {
    const { readable, stewards = [] }: Partial<ReadPermission> = await catalog.call('readMe', {}, { signal });
    return readable === undefined ? null : { readable, stewards };
  } catch {
    return null;
  }
}
