import type { IEdge } from './graph';
import { getEdgeId } from './graph';

/** Combines the edges of several nodes to one node into one. */
function combineEdges(edges: readonly IEdge[], source: string, target: string): IEdge {
  const [first] = edges as [IEdge, ...IEdge[]];
  const accesses = new Set(edges.map(edge => edge.access));
  const ends = edges.map(edge => edge.end);
  return {
    ...first,
    source,
    target,
    access: accesses.size === 1 ? first.access : 'both',
    runCount: edges.reduce((sum, edge) => sum + edge.runCount, 0),
    start: edges.reduce((least, edge) => (edge.start < least ? edge.start : least), first.start),
    end: ends.includes(null) ? null : ends.reduce((most, end) => (end! > most! ? end : most), first.end)
  };
}

/** Replaces the ends of edges, drops those without both ends or within one node, and combines equal ones. */
export function replaceEnds(edges: readonly IEdge[], getEnd: (urn: string) => string | undefined): IEdge[] {
  const united = new Map<string, IEdge[]>();
  for (const edge of edges) {
    const source = getEnd(edge.source);
    const target = getEnd(edge.target);
    const isLoop = source === target && edge.source !== edge.target;
    if (source !== undefined && target !== undefined && !isLoop) {
      const id = getEdgeId({ source, target });
      const same = united.get(id);
      if (same) {
        same.push(edge);
      } else {
        united.set(id, [edge]);
      }
    }
  }
  return [...united.values()].map(same => {
    const [first] = same as [IEdge, ...IEdge[]];
    const source = getEnd(first.source)!;
    const target = getEnd(first.target)!;
    return same.length === 1 && source === first.source && target === first.target
      ? first
      : combineEdges(same, source, target);
  });
}
