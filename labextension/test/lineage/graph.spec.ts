import { expect, test } from 'vitest';
import { bounded, joined, within } from '../../src/lineage/graph';
import { lineageOf } from '../support/server';

function hiddenOf(graph: ReturnType<typeof joined>, urn: string): unknown {
  return graph.nodes.find(node => node.urn === urn)?.notShown;
}

test('what one answer hides and another shows is hidden no more', () => {
  const first = lineageOf('b', [['a', 'b']], { a: [3, 0], b: [0, 1] });
  const more = lineageOf(
    'a',
    [
      ['x', 'a'],
      ['y', 'a']
    ],
    { a: [1, 1] }
  );
  const graph = joined([first, more]);
  expect(graph.focus).toBe('b');
  expect(graph.nodes.map(node => node.urn)).toEqual(['a', 'b', 'x', 'y']);
  expect(hiddenOf(graph, 'a')).toEqual({ upstream: 1, downstream: 0 });
  expect(hiddenOf(graph, 'b')).toEqual({ upstream: 0, downstream: 1 });
});

test('an edge that two answers tell of is drawn once', () => {
  const answer = lineageOf('b', [['a', 'b']]);
  expect(joined([answer, answer]).edges).toHaveLength(1);
});

test('an edge whose end the server cut off is not drawn', () => {
  const answer = lineageOf('b', [['a', 'b']]);
  answer.nodes = answer.nodes.filter(node => node.urn !== 'a');
  expect(joined([answer]).edges).toEqual([]);
});

test('nodes come by name, with numbers in them as numbers', () => {
  const graph = joined([
    lineageOf('t', [
      ['s_10', 't'],
      ['s_9', 't'],
      ['s_1', 't']
    ])
  ]);
  expect(graph.nodes.map(node => node.urn)).toEqual(['s_1', 's_9', 's_10', 't']);
});

test('no answers make an empty graph', () => {
  expect(joined([])).toMatchObject({ nodes: [], edges: [] });
});

test('of too many nodes the nearest stay, and what is cut is counted at its neighbours', () => {
  const chain = lineageOf(
    'n0',
    Array.from({ length: 9 }, (_, i): [string, string] => [`n${i}`, `n${i + 1}`])
  );
  const graph = bounded(joined([chain]), 4);
  expect(graph.nodes.map(node => node.urn)).toEqual(['n0', 'n1', 'n2', 'n3']);
  expect(graph.edges).toHaveLength(3);
  expect(graph).toMatchObject({ cut: 6, truncated: true });
  expect(hiddenOf(graph, 'n3')).toEqual({ upstream: 0, downstream: 1 });
});

test('a graph within the bound is left as it is', () => {
  const graph = joined([lineageOf('b', [['a', 'b']])]);
  expect(bounded(graph, 200)).toBe(graph);
});

test('of an answer only what is shown already is taken, and the rest is counted', () => {
  const answer = lineageOf('p', [
    ['p', 'a'],
    ['p', 'b'],
    ['p', 'c']
  ]);
  const part = within(answer, new Set(['p', 'a', 'b']));
  expect(part.edges.map(edge => edge.target)).toEqual(['a', 'b']);
  expect(part.nodes.find(node => node.urn === 'p')?.notShown).toEqual({ upstream: 0, downstream: 1 });
});
