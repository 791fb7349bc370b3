/** Nodes by layer, each layer in the order in which it is drawn from top to bottom. */
export type Rows = number[][];

/** Neighbours of every node in the layer before and in the layer after. */
export interface INeighbours {
  before: readonly (readonly number[])[];
  after: readonly (readonly number[])[];
}

const SWEEPS = 12;

function places(rows: Rows, count: number): Float64Array {
  const place = new Float64Array(count);
  rows.forEach(row => row.forEach((node, index) => (place[node] = index)));
  return place;
}

function mean(nodes: readonly number[], place: Float64Array, otherwise: number): number {
  if (nodes.length === 0) {
    return otherwise;
  }
  return nodes.reduce((sum, node) => sum + place[node]!, 0) / nodes.length;
}

/** Number of crossings between one layer and the next. */
function crossingsAfter(row: readonly number[], after: INeighbours['after'], place: Float64Array): number {
  const ends = row.flatMap(node => [...after[node]!].map(other => place[other]!).sort((a, b) => a - b));
  let crossings = 0;
  for (let i = 0; i < ends.length; i++) {
    for (let j = i + 1; j < ends.length; j++) {
      crossings += ends[j]! < ends[i]! ? 1 : 0;
    }
  }
  return crossings;
}

/** Number of pairs of edges that cross. */
export function crossings(rows: Rows, neighbours: INeighbours, count: number): number {
  const place = places(rows, count);
  return rows.reduce((sum, row) => sum + crossingsAfter(row, neighbours.after, place), 0);
}

function swept(rows: Rows, lists: readonly (readonly number[])[], count: number, forward: boolean): Rows {
  const next = rows.map(row => [...row]);
  const place = places(next, count);
  const order = next.map((_, index) => (forward ? index : next.length - 1 - index));
  for (const at of order) {
    const row = next[at]!;
    const wish = new Map(row.map((node, index) => [node, mean(lists[node]!, place, index)]));
    row.sort((a, b) => wish.get(a)! - wish.get(b)! || place[a]! - place[b]!);
    row.forEach((node, index) => (place[node] = index));
  }
  return next;
}

/** Rows with few crossings: barycentre sweeps both ways, of which the best is kept. */
export function ordered(rows: Rows, neighbours: INeighbours, count: number): Rows {
  let best = rows;
  let least = crossings(rows, neighbours, count);
  let now = rows;
  for (let sweep = 0; sweep < SWEEPS && least > 0; sweep++) {
    const forward = sweep % 2 === 0;
    now = swept(now, forward ? neighbours.before : neighbours.after, count, forward);
    const many = crossings(now, neighbours, count);
    if (many < least) {
      best = now;
      least = many;
    }
  }
  return best;
}
