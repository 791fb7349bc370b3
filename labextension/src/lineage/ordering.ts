/** Nodes by layer; each layer from top to bottom. */
export type Rows = number[][];

/** The neighbours of each node in the previous and in the next layer. */
export interface INeighbours {
  before: readonly (readonly number[])[];
  after: readonly (readonly number[])[];
}

const SWEEPS = 12;

function getPositions(rows: Rows, count: number): Float64Array {
  const place = new Float64Array(count);
  rows.forEach(row => row.forEach((node, index) => (place[node] = index)));
  return place;
}

function computeMean(nodes: readonly number[], place: Float64Array, fallback: number): number {
  if (nodes.length === 0) {
    return fallback;
  }
  return nodes.reduce((sum, node) => sum + place[node]!, 0) / nodes.length;
}

/** Returns the number of crossings between one layer and the next. */
function countLayerCrossings(row: readonly number[], after: INeighbours['after'], place: Float64Array): number {
  const ends = row.flatMap(node => [...after[node]!].map(other => place[other]!).sort((a, b) => a - b));
  let crossings = 0;
  for (let i = 0; i < ends.length; i++) {
    for (let j = i + 1; j < ends.length; j++) {
      crossings += ends[j]! < ends[i]! ? 1 : 0;
    }
  }
  return crossings;
}

/** Returns the number of pairs of edges that cross. */
export function countCrossings(rows: Rows, neighbours: INeighbours, count: number): number {
  const place = getPositions(rows, count);
  return rows.reduce((sum, row) => sum + countLayerCrossings(row, neighbours.after, place), 0);
}

function sweepRows(rows: Rows, lists: readonly (readonly number[])[], count: number, forward: boolean): Rows {
  const next = rows.map(row => [...row]);
  const place = getPositions(next, count);
  const order = next.map((_, index) => (forward ? index : next.length - 1 - index));
  for (const at of order) {
    const row = next[at]!;
    const target = new Map(row.map((node, index) => [node, computeMean(lists[node]!, place, index)]));
    row.sort((a, b) => target.get(a)! - target.get(b)! || place[a]! - place[b]!);
    row.forEach((node, index) => (place[node] = index));
  }
  return next;
}

/** Orders rows with few crossings: the best result of barycentre sweeps in both directions. */
export function orderRows(rows: Rows, neighbours: INeighbours, count: number): Rows {
  let best = rows;
  let fewest = countCrossings(rows, neighbours, count);
  let current = rows;
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const forward = sweep % 2 === 0;
    current = sweepRows(current, forward ? neighbours.before : neighbours.after, count, forward);
    const crossings = countCrossings(current, neighbours, count);
    if (crossings < fewest) {
      best = current;
      fewest = crossings;
    }
  }
  return best;
}
