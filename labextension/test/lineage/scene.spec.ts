import { expect, test } from 'vitest';
import { joined } from '../../src/lineage/graph';
import { layout, NODE_WIDTH } from '../../src/lineage/layout';
import type { IScene } from '../../src/lineage/scene';
import { digraphOf, edgeAt, nodeAt, sceneOf, stepFrom } from '../../src/lineage/scene';
import { escaped, svgOf } from '../../src/lineage/svg';
import { lineageOf } from '../support/server';

function scene(...edges: [string, string][]): IScene {
  const graph = joined([lineageOf(edges[0]?.[0] ?? 'a', edges)]);
  return sceneOf(graph, layout(digraphOf(graph)));
}

const STORY = scene(['a', 'p'], ['b', 'p'], ['p', 'c'], ['c', 'q'], ['q', 'd']);

test('right and left follow the edges', () => {
  expect(stepFrom(STORY, 'p', 'ArrowRight')).toBe('c');
  expect(stepFrom(STORY, 'c', 'ArrowLeft')).toBe('p');
  expect(stepFrom(STORY, 'd', 'ArrowRight')).toBeUndefined();
});

test('up and down stay in the column', () => {
  const [above, below] = [...STORY.nodes.values()]
    .filter(placed => placed.at.x === 0)
    .sort((x, y) => x.at.y - y.at.y)
    .map(placed => placed.node.urn);
  expect(stepFrom(STORY, above ?? '', 'ArrowDown')).toBe(below);
  expect(stepFrom(STORY, below ?? '', 'ArrowUp')).toBe(above);
  expect(stepFrom(STORY, above ?? '', 'ArrowUp')).toBeUndefined();
});

test('Home goes to where data come from, End to where they end up, other keys nowhere', () => {
  expect(['a', 'b']).toContain(stepFrom(STORY, 'q', 'Home'));
  expect(stepFrom(STORY, 'a', 'End')).toBe('d');
  expect(stepFrom(STORY, 'a', 'x')).toBeUndefined();
});

test('a walk to the right in a cycle does not end, and does not fail', () => {
  const ring = scene(['a', 'p'], ['p', 'a']);
  expect(stepFrom(ring, stepFrom(ring, 'a', 'ArrowRight') ?? '', 'ArrowRight')).toBe('a');
});

test('an edge is found near its line and not far from it', () => {
  const from = STORY.nodes.get('c')?.at ?? { x: 0, y: 0 };
  const between = { x: from.x + 190, y: from.y + 24 };
  expect(edgeAt(STORY, between, 8)).toMatchObject({ source: 'c', target: 'q' });
  expect(edgeAt(STORY, { x: between.x, y: between.y + 500 }, 8)).toBeNull();
});

test('a node is found under the pointer even where it is only painted', () => {
  const at = STORY.nodes.get('c')?.at ?? { x: 0, y: 0 };
  expect(nodeAt(STORY, { x: at.x + 5, y: at.y + 5 })?.urn).toBe('c');
  expect(nodeAt(STORY, { x: at.x - 5, y: at.y + 5 })).toBeNull();
});

const WORDS = { name: (node: { name: string }) => node.name, place: () => 'flights · spark', deleted: 'deleted' };

test('the labels of the picture as a file are cut to the width of their boxes', () => {
  const long = 'W'.repeat(60);
  const parsed = new DOMParser().parseFromString(svgOf(scene([long, 'p']), WORDS, 'sans-serif'), 'image/svg+xml');
  const labels = [...parsed.querySelectorAll('text')];
  expect(labels).toHaveLength(4);
  for (const label of labels) {
    const end = Number(label.getAttribute('x')) + Number(label.getAttribute('textLength'));
    expect(end).toBeLessThanOrEqual(NODE_WIDTH - 10);
  }
  expect(labels.map(label => label.textContent)).toContainEqual(expect.stringMatching(/^W+…$/));
});

test('the picture as a file holds every node and edge, and no name can break out of it', () => {
  const evil = '"/><script>alert(1)</script>\u0000&';
  const file = svgOf(scene([evil, 'p']), WORDS, 'sans-serif');
  const parsed = new DOMParser().parseFromString(file, 'image/svg+xml');
  expect(parsed.querySelector('parsererror')).toBeNull();
  expect(parsed.querySelectorAll('script')).toHaveLength(0);
  expect(parsed.querySelectorAll('rect')).toHaveLength(2);
  expect(parsed.querySelectorAll('path[marker-end]')).toHaveLength(1);
  expect(escaped('<a b="c">&')).toBe('&lt;a b=&quot;c&quot;&gt;&amp;');
});
