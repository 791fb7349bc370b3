import type { IGraph } from '../../lineage/graph';

/** The times of the first run of a graph and of its load, in milliseconds. */
export type TimeRange = readonly [number, number];

/** Returns the range of times in which a graph was made; null if it has no edges. */
export function findTimeRange(graph: IGraph, now: number): TimeRange | null {
  const first = graph.edges.reduce((least, edge) => Math.min(least, Date.parse(edge.start)), Infinity);
  return first === Infinity ? null : [Math.min(first, now), now];
}
