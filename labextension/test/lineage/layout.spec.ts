import { expect, test } from 'vitest';
import { curvesOf, distance, pointOn } from '../../src/lineage/curves';
import type { IDigraph } from '../../src/lineage/layering';
import { backEdges, layers, turned } from '../../src/lineage/layering';
import type { ILayout } from '../../src/lineage/layout';
import { layout, NODE_HEIGHT, NODE_WIDTH } from '../../src/lineage/layout';
import { crossings, ordered } from '../../src/lineage/ordering';
import { spread } from '../../src/lineage/placing';

function graph(count: number, ...edges: [number, number][]): IDigraph {
  return { count, edges };
}

/** A random graph, the same every time. */
function random(count: number, many: number, seed: number): IDigraph {
  let state = seed;
  const next = (most: number): number => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % most;
  };
  return graph(count, ...Array.from({ length: many }, (): [number, number] => [next(count), next(count)]));
}

function overlaps(result: ILayout): number {
  let found = 0;
  result.nodes.forEach((a, index) =>
    result.nodes.slice(index + 1).forEach(b => {
      const apart = Math.abs(a.x - b.x) >= NODE_WIDTH || Math.abs(a.y - b.y) >= NODE_HEIGHT;
      found += apart ? 0 : 1;
    })
  );
  return found;
}

test('layers follow the edges', () => {
  expect(layers(graph(4, [0, 1], [1, 2], [0, 2], [2, 3]))).toEqual([0, 1, 2, 3]);
});

test('a root stands right before what it leads to', () => {
  expect(layers(graph(4, [0, 1], [1, 2], [3, 2]))).toEqual([0, 1, 2, 1]);
});

test('a cycle is broken at one edge, and an edge to itself is turned', () => {
  expect(backEdges(graph(3, [0, 1], [1, 2], [2, 0]))).toEqual([false, false, true]);
  expect(backEdges(graph(1, [0, 0]))).toEqual([true]);
  expect(backEdges(graph(3, [0, 1], [0, 2], [1, 2]))).toEqual([false, false, false]);
});

test('no random graph keeps a cycle once its back edges are turned', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const any = random(60, 120, seed);
    const back = backEdges(any);
    const straight = turned(any, back);
    const layer = layers(straight);
    straight.edges.forEach(([from, to]) => expect(layer[from]).toBeLessThan(layer[to] ?? 0));
  }
});

test('sweeps take crossings away', () => {
  const neighbours = { before: [[], [], [1], [0]], after: [[3], [2], [], []] };
  const rows = [
    [0, 1],
    [2, 3]
  ];
  expect(crossings(rows, neighbours, 4)).toBe(1);
  expect(crossings(ordered(rows, neighbours, 4), neighbours, 4)).toBe(0);
});

test('places keep their order and distance, and stay as near to the wishes as they can', () => {
  expect(spread([0, 0], [0, 10])).toEqual([-5, 5]);
  expect(spread([0, 100], [0, 10])).toEqual([0, 100]);
  expect(spread([50, 0, 0], [0, 10, 10])).toEqual(
    [50 / 3 - 10, 50 / 3, 50 / 3 + 10].map(value => expect.closeTo(value) as number)
  );
});

test('the story of the flights reads from left to right', () => {
  // flights, weather, planes -> cell -> daily_delays -> cell -> carrier_report
  const result = layout(graph(7, [0, 3], [1, 3], [2, 3], [3, 4], [4, 5], [5, 6]));
  const x = result.nodes.map(node => node.x);
  expect(x[0]).toBe(x[1]);
  expect(x[1]).toBe(x[2]);
  expect([x[2], x[3], x[4], x[5], x[6]]).toEqual([...x.slice(2)].sort((a, b) => a - b));
  expect(result.backward).not.toContain(true);
  expect(result.nodes[3]?.y).toBe(result.nodes[4]?.y);
});

test('no two nodes overlap, nothing lies outside, and the same graph is drawn the same way', () => {
  for (let seed = 1; seed <= 8; seed++) {
    const any = random(80, 120, seed);
    const result = layout(any);
    expect(overlaps(result)).toBe(0);
    expect(Math.min(...result.nodes.map(node => node.y))).toBeGreaterThanOrEqual(0);
    expect(layout(any)).toEqual(result);
  }
});

test('an edge that passes a layer goes round the nodes in it', () => {
  const result = layout(graph(3, [0, 1], [1, 2], [0, 2]));
  const middle = result.nodes[1] ?? { x: 0, y: 0 };
  const passes = result.routes[2]?.filter(point => point.x === middle.x) ?? [];
  expect(passes).toHaveLength(1);
  passes.forEach(point => expect(point.y < middle.y || point.y > middle.y + NODE_HEIGHT).toBe(true));
});

test('an edge against the direction of reading is marked, leaves rightwards and enters rightwards', () => {
  const result = layout(graph(2, [0, 1], [1, 0]));
  expect(result.backward).toEqual([false, true]);
  const curves = curvesOf(result.routes[1] ?? [], true);
  expect(curves[0]?.bend1.x).toBeGreaterThan(curves[0]?.from.x ?? 0);
  expect(curves.at(-1)?.bend2.x).toBeLessThan(curves.at(-1)?.to.x ?? 0);
});

test('nothing at all, and things that hang together with nothing, can be drawn', () => {
  expect(layout(graph(0))).toMatchObject({ nodes: [], width: 0, height: 0 });
  expect(overlaps(layout(graph(5)))).toBe(0);
});

test('a curve begins and ends where its route does, and a point on it is near it', () => {
  const [curve] = curvesOf(
    [
      { x: 0, y: 0 },
      { x: 100, y: 40 }
    ],
    false
  );
  expect(curve && pointOn(curve, 0)).toEqual({ x: 0, y: 0 });
  expect(curve && pointOn(curve, 1)).toEqual({ x: 100, y: 40 });
  expect(curve && distance(curve, pointOn(curve, 0.5))).toBeCloseTo(0);
});
