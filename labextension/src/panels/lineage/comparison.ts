import type { TranslationBundle } from '@jupyterlab/translation';
import type { Lineage, LineageDiff } from '../../generated/api';
import { getEdgeId } from '../../lineage/graph';
import type { Mark } from '../../lineage/painter';
import type { ICatalog } from '../../tokens';

const DAY_MS = 86_400_000;

type EdgeChange = LineageDiff['changed'][number]['changes'][number];

/** The differences between two times. */
export interface IComparison {
  answer: LineageDiff;
  /** The edges that differ, by id. */
  marks: ReadonlyMap<string, Mark>;
  /** What differs of changed edges, by id. */
  changes: ReadonlyMap<string, readonly EdgeChange[]>;
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
  const answer = await catalog.call('readLineageDiff', { ...query, from, to, window }, { signal });
  const { added, removed, nodes } = answer;
  const changed = answer.changed.map(({ edge }) => edge);
  const markAll = (edges: Lineage['edges'], mark: Mark): [string, Mark][] => edges.map(edge => [getEdgeId(edge), mark]);
  return {
    answer,
    marks: new Map([...markAll(removed, 'removed'), ...markAll(added, 'added'), ...markAll(changed, 'changed')]),
    changes: new Map(answer.changed.map(({ edge, changes }) => [getEdgeId(edge), changes])),
    part: { nodes, edges: [...added, ...changed, ...removed] }
  };
}

function getChangeLabel(change: EdgeChange, trans: TranslationBundle): string {
  switch (change) {
    case 'access':
      return trans.__('access');
    case 'columns':
      return trans.__('columns');
    case 'program':
      return trans.__('code of the program');
    case 'statements':
      return trans.__('statements');
  }
}

/** Describes how an edge differs between the two times; empty if it does not. */
export function describeChange({ marks, changes }: IComparison, id: string, trans: TranslationBundle): string {
  switch (marks.get(id)) {
    case 'added':
      return trans.__('added');
    case 'removed':
      return trans.__('removed');
    case 'changed':
      return trans.__('changed: %1', (changes.get(id) ?? []).map(change => getChangeLabel(change, trans)).join(', '));
    case undefined:
      return '';
  }
}
