/**
 * A list of numbers for each node, all in one array: those of a node stand from `starts[node]` to `starts[node + 1]`.
 *
 * Thousands of small arrays would take longer to create and to collect than the layout that reads them.
 */
export interface INumberLists {
  starts: Uint32Array;
  values: Uint32Array;
}

/** Lists for each node the indices where it occurs in `nodes`, or the elements of `elements` at these indices. */
export function groupByNode(count: number, nodes: ArrayLike<number>, elements?: ArrayLike<number>): INumberLists {
  const starts = new Uint32Array(count + 1);
  for (let index = 0; index < nodes.length; index++) {
    starts[nodes[index]! + 1]! += 1;
  }
  for (let node = 0; node < count; node++) {
    starts[node + 1]! += starts[node]!;
  }
  const next = starts.slice();
  const values = new Uint32Array(nodes.length);
  for (let index = 0; index < nodes.length; index++) {
    values[next[nodes[index]!]!++] = elements ? elements[index]! : index;
  }
  return { starts, values };
}

/** The neighbours of each node in the previous and in the next layer. */
export interface INeighbours {
  before: INumberLists;
  after: INumberLists;
}

/** Lists the neighbours of each node by the sources and the targets of the edges. */
export function listNeighbours(count: number, sources: ArrayLike<number>, targets: ArrayLike<number>): INeighbours {
  return { before: groupByNode(count, targets, sources), after: groupByNode(count, sources, targets) };
}
