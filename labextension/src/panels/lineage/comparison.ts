import type { Lineage } from '../../generated/api';
import { getEdgeId } from '../../lineage/graph';
import type { Mark } from '../../lineage/painter';
import type { ICatalog } from '../../tokens';

const DAY_MS = 86_400_000;

/** The differences between two times. */
export interface IComparison {
  /** The edges that differ, by id. */
  marks: ReadonlyMap<string, Mark>;
  added: number;
  removed: number;
  /** The nodes and edges that differ, with those that are no longer in the graph. */
  part: Pick<Lineage, 'nodes' | 'edges'>;
}

interface IComparisonQuery {
  urn: string;
  direction: Lineage['direction'];
  levels: number;
  limit: number;
  /** The two times in UTC; the graph is compared with now without the second one. */
  from: string | undefined;
  to: string | undefined;
}

/** Reads the differences of the lineage of an entity between two times; null without an earlier time. */
export async function readComparison(
  catalog: ICatalog,
  { from, to = new Date().toISOString(), ...query }: IComparisonQuery,
  signal: AbortSignal
): Promise<IComparison | null> {
  if (from === undefined || from >= to) {
    return null;
  }
  // An edge is there if a run is not older than the time between the two, and a week at least.
  const window = `${Math.ceil(Math.max(7 * DAY_MS, Date.parse(to) - Date.parse(from)) / DAY_MS)}d`;
  const { added, removed, nodes } = await catalog.call('readLineageDiff', { ...query, from, to, window }, { signal });
  const marks = new Map<string, Mark>([
    ...removed.map((edge): [string, Mark] => [getEdgeId(edge), 'removed']),
    ...added.map((edge): [string, Mark] => [getEdgeId(edge), 'added'])
  ]);
  return { marks, added: added.length, removed: removed.length, part: { nodes, edges: [...added, ...removed] } };
}
