import type { TranslationBundle } from '@jupyterlab/translation';
import type { IBadge } from '../../lineage/cards';
import type { IGraph } from '../../lineage/graph';

/** Returns the number of runs of each program: that of its most frequent edge. */
function countRuns({ nodes, edges }: IGraph): Map<string, number> {
  const programs = new Set(nodes.filter(node => node.type === 'dataJob').map(node => node.urn));
  const counts = new Map<string, number>();
  for (const { source, target, runCount } of edges) {
    const program = programs.has(source) ? source : target;
    if (programs.has(program)) {
      counts.set(program, Math.max(counts.get(program) ?? 0, runCount));
    }
  }
  return counts;
}

/** Creates the badges with the number of runs of each program that ran several times: its runs are drawn as one node. */
export function createRunBadges(whole: IGraph, trans: TranslationBundle): Map<string, readonly IBadge[]> {
  return new Map(
    [...countRuns(whole)]
      .filter(([, count]) => count > 1)
      .map(([urn, count]) => [
        urn,
        [{ text: `×${count.toLocaleString()}`, title: trans._n('%1 run', '%1 runs', count) }]
      ])
  );
}
