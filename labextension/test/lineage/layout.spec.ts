import { expect, test } from 'vitest';
import { createCurves, measureDistance, getPoint } from '../../src/lineage/curves';
import { listNeighbours } from '../../src/lineage/adjacency';
import type { IDigraph } from '../../src/lineage/layering';
import { findBackEdges, assignLayers, reverseEdges } from '../../src/lineage/layering';
import type { ILayout } from '../../src/lineage/layout';
import { computeLayout, NODE_HEIGHT, NODE_WIDTH } from '../../src/lineage/layout';
import { countCrossings, orderRows } from '../../src/lineage/ordering';
import { fitPositions } from '../../src/lineage/positioning';

function graph(count: number, ...edges: [number, number][]): IDigraph {
  return { count, edges };
}

/** Returns a reproducible random graph. */
function random(count: number, many: number, seed: number): IDigraph {
  let state = seed;
  const next = (limit: number): number => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % limit;
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
  expect(assignLayers(graph(4, [0, 1], [1, 2], [0, 2], [2, 3]))).toEqual([0, 1, 2, 3]);
});

test('a root is placed right before its successor', () => {
  expect(assignLayers(graph(4, [0, 1], [1, 2], [3, 2]))).toEqual([0, 1, 2, 1]);
});

test('a cycle is broken at one edge', () => {
  expect(findBackEdges(graph(3, [0, 1], [1, 2], [2, 0]))).toEqual([false, false, true]);
  expect(findBackEdges(graph(1, [0, 0]))).toEqual([true]);
  expect(findBackEdges(graph(3, [0, 1], [0, 2], [1, 2]))).toEqual([false, false, false]);
});

test('reversing back edges removes all cycles', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const any = random(60, 120, seed);
    const back = findBackEdges(any);
    const straight = reverseEdges(any, back);
    const layer = assignLayers(straight);
    straight.edges.forEach(([from, to]) => expect(layer[from]).toBeLessThan(layer[to] ?? 0));
  }
});

test('sweeps remove crossings', () => {
  const neighbours = listNeighbours(4, [0, 1], [3, 2]);
  const rows = [
    [0, 1],
    [2, 3]
  ];
  expect(countCrossings(rows, neighbours, 4)).toBe(1);
  expect(countCrossings(orderRows(rows, neighbours, 4), neighbours, 4)).toBe(0);
});

test('positions keep order and distance near their targets', () => {
  expect([...fitPositions([0, 0], [0, 10])]).toEqual([-5, 5]);
  expect([...fitPositions([0, 100], [0, 10])]).toEqual([0, 100]);
  expect([...fitPositions([50, 0, 0], [0, 10, 10])]).toEqual(
    [50 / 3 - 10, 50 / 3, 50 / 3 + 10].map(value => expect.closeTo(value) as number)
  );
});

test('the flights example is laid out from left to right', () => {
  // flights, weather, planes -> cell -> daily_delays -> cell -> carrier_report
  const result = computeLayout(graph(7, [0, 3], [1, 3], [2, 3], [3, 4], [4, 5], [5, 6]));
  const x = result.nodes.map(node => node.x);
  expect(x[0]).toBe(x[1]);
  expect(x[1]).toBe(x[2]);
  expect([x[2], x[3], x[4], x[5], x[6]]).toEqual([...x.slice(2)].sort((a, b) => a - b));
  expect(result.backward).not.toContain(true);
  expect(result.nodes[3]?.y).toBe(result.nodes[4]?.y);
});

test('layouts are deterministic, without overlaps', () => {
  for (let seed = 1; seed <= 8; seed++) {
    const any = random(80, 120, seed);
    const result = computeLayout(any);
    expect(overlaps(result)).toBe(0);
    expect(Math.min(...result.nodes.map(node => node.y))).toBeGreaterThanOrEqual(0);
    expect(computeLayout(any)).toEqual(result);
  }
});

test('a long edge avoids the nodes in between', () => {
  const result = computeLayout(graph(3, [0, 1], [1, 2], [0, 2]));
  const middle = result.nodes[1] ?? { x: 0, y: 0 };
  const passes = result.routes[2]?.filter(point => point.x === middle.x) ?? [];
  expect(passes).toHaveLength(1);
  passes.forEach(point => expect(point.y < middle.y || point.y > middle.y + NODE_HEIGHT).toBe(true));
});

test('a backward edge is marked and leaves and enters rightwards', () => {
  const result = computeLayout(graph(2, [0, 1], [1, 0]));
  expect(result.backward).toEqual([false, true]);
  const curves = createCurves(result.routes[1] ?? [], true);
  expect(curves[0]?.bend1.x).toBeGreaterThan(curves[0]?.from.x ?? 0);
  expect(curves.at(-1)?.bend2.x).toBeLessThan(curves.at(-1)?.to.x ?? 0);
});

test('empty graphs and isolated nodes have layouts', () => {
  expect(computeLayout(graph(0))).toMatchObject({ nodes: [], width: 0, height: 0 });
  expect(overlaps(computeLayout(graph(5)))).toBe(0);
});

test('a curve starts and ends with its route', () => {
  const [curve] = createCurves(
    [
      { x: 0, y: 0 },
      { x: 100, y: 40 }
    ],
    false
  );
  expect(curve && getPoint(curve, 0)).toEqual({ x: 0, y: 0 });
  expect(curve && getPoint(curve, 1)).toEqual({ x: 100, y: 40 });
  expect(curve && measureDistance(curve, getPoint(curve, 0.5))).toBeCloseTo(0);
});
