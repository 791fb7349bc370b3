import { expect, test } from 'vitest';
import { mergeAnswers } from '../../src/lineage/graph';
import { computeLayout } from '../../src/lineage/layout';
import type { IScene } from '../../src/lineage/scene';
import { toDigraph, findEdgeAt, findNodeAt, createScene, findNextNode } from '../../src/lineage/scene';
import { lineageOf } from '../support/server';

function scene(...edges: [string, string][]): IScene {
  const graph = mergeAnswers([lineageOf(edges[0]?.[0] ?? 'a', edges)]);
  return createScene(graph, computeLayout(toDigraph(graph)));
}

const STORY = scene(['a', 'p'], ['b', 'p'], ['p', 'c'], ['c', 'q'], ['q', 'd']);

test('right and left follow the edges', () => {
  expect(findNextNode(STORY, 'p', 'ArrowRight')).toBe('c');
  expect(findNextNode(STORY, 'c', 'ArrowLeft')).toBe('p');
  expect(findNextNode(STORY, 'd', 'ArrowRight')).toBeUndefined();
});

test('up and down stay in the column', () => {
  const [above, below] = [...STORY.nodes.values()]
    .filter(placed => placed.at.x === 0)
    .sort((x, y) => x.at.y - y.at.y)
    .map(placed => placed.node.urn);
  expect(findNextNode(STORY, above ?? '', 'ArrowDown')).toBe(below);
  expect(findNextNode(STORY, below ?? '', 'ArrowUp')).toBe(above);
  expect(findNextNode(STORY, above ?? '', 'ArrowUp')).toBeUndefined();
});

test('Home goes to the sources, End to the final targets', () => {
  expect(['a', 'b']).toContain(findNextNode(STORY, 'q', 'Home'));
  expect(findNextNode(STORY, 'a', 'End')).toBe('d');
  expect(findNextNode(STORY, 'a', 'x')).toBeUndefined();
});

test('navigation in a cycle never fails', () => {
  const ring = scene(['a', 'p'], ['p', 'a']);
  expect(findNextNode(ring, findNextNode(ring, 'a', 'ArrowRight') ?? '', 'ArrowRight')).toBe('a');
});

test('an edge is found within the tolerance only', () => {
  const from = STORY.nodes.get('c')?.at ?? { x: 0, y: 0 };
  const between = { x: from.x + 190, y: from.y + 24 };
  expect(findEdgeAt(STORY, between, 8)).toMatchObject({ source: 'c', target: 'q' });
  expect(findEdgeAt(STORY, { x: between.x, y: between.y + 500 }, 8)).toBeNull();
});

test('a painted node is found under the pointer', () => {
  const at = STORY.nodes.get('c')?.at ?? { x: 0, y: 0 };
  expect(findNodeAt(STORY, { x: at.x + 5, y: at.y + 5 })?.urn).toBe('c');
  expect(findNodeAt(STORY, { x: at.x - 5, y: at.y + 5 })).toBeNull();
});
