import type { IColumn } from './columns';
import type { IGraph, INode } from './graph';

/** A node, or a column of a node, that matches a text. */
export interface IMatch {
  node: INode;
  column: IColumn | null;
}

/** Ranks a match: the start of the name, the start of a word, anywhere; null if there is none. */
function rankName(name: string, text: string): number | null {
  const at = name.toLocaleLowerCase().indexOf(text);
  if (at < 0) {
    return null;
  }
  return at === 0 ? 0 : /[\s._\-/#]/.test(name[at - 1] ?? '') ? 1 : 2;
}

/** Finds nodes by name, and then columns, the best matches first. */
export function searchGraph(graph: IGraph, text: string, getName: (node: INode) => string, limit: number): IMatch[] {
  const pattern = text.trim().toLocaleLowerCase();
  if (pattern === '') {
    return [];
  }
  const found: { match: IMatch; rank: number }[] = [];
  for (const node of graph.nodes) {
    const ranks = [getName(node), node.name].flatMap(name => rankName(name, pattern) ?? []);
    if (ranks.length > 0) {
      found.push({ match: { node, column: null }, rank: Math.min(...ranks) });
    }
  }
  const nodes = new Map(graph.nodes.map(node => [node.urn, node]));
  const columns = new Set<string>();
  for (const { source, sourceField, target, targetField } of graph.columns) {
    for (const [urn, field] of [
      [source, sourceField],
      [target, targetField]
    ] as const) {
      const rank = rankName(field, pattern);
      const node = nodes.get(urn);
      if (rank !== null && node && !columns.has(`${urn} ${field}`)) {
        columns.add(`${urn} ${field}`);
        found.push({ match: { node, column: { urn, field } }, rank: rank + 3 });
      }
    }
  }
  return found
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ match }) => match);
}
