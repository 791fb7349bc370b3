import { expect, test } from 'vitest';
import { limitNodes, mergeAnswers, restrictAnswer } from '../../src/lineage/graph';
import { lineageOf } from '../support/server';

function hiddenOf(graph: ReturnType<typeof mergeAnswers>, urn: string): unknown {
  return graph.nodes.find(node => node.urn === urn)?.notShown;
}

test('a neighbour shown by another answer is not hidden', () => {
  const first = lineageOf('b', [['a', 'b']], { a: [3, 0], b: [0, 1] });
  const more = lineageOf(
    'a',
    [
      ['x', 'a'],
      ['y', 'a']
    ],
    { a: [1, 1] }
  );
  const graph = mergeAnswers([first, more]);
  expect(graph.focus).toBe('b');
  expect(graph.nodes.map(node => node.urn)).toEqual(['a', 'b', 'x', 'y']);
  expect(hiddenOf(graph, 'a')).toEqual({ upstream: 1, downstream: 0 });
  expect(hiddenOf(graph, 'b')).toEqual({ upstream: 0, downstream: 1 });
});

test('an edge in two answers appears once', () => {
  const answer = lineageOf('b', [['a', 'b']]);
  expect(mergeAnswers([answer, answer]).edges).toHaveLength(1);
});

test('an edge without one of its nodes is omitted', () => {
  const answer = lineageOf('b', [['a', 'b']]);
  answer.nodes = answer.nodes.filter(node => node.urn !== 'a');
  expect(mergeAnswers([answer]).edges).toEqual([]);
});

test('nodes are sorted by name, with numbers as numbers', () => {
  const graph = mergeAnswers([
    lineageOf('t', [
      ['s_10', 't'],
      ['s_9', 't'],
      ['s_1', 't']
    ])
  ]);
  expect(graph.nodes.map(node => node.urn)).toEqual(['s_1', 's_9', 's_10', 't']);
});

test('no answers result in an empty graph', () => {
  expect(mergeAnswers([])).toMatchObject({ nodes: [], edges: [] });
});

test('a large graph is limited to the nearest nodes', () => {
  const chain = lineageOf(
    'n0',
    Array.from({ length: 9 }, (_, i): [string, string] => [`n${i}`, `n${i + 1}`])
  );
  const graph = limitNodes(mergeAnswers([chain]), 4);
  expect(graph.nodes.map(node => node.urn)).toEqual(['n0', 'n1', 'n2', 'n3']);
  expect(graph.edges).toHaveLength(3);
  expect(graph).toMatchObject({ omittedNodes: 6, truncated: true });
  expect(hiddenOf(graph, 'n3')).toEqual({ upstream: 0, downstream: 1 });
});

test('a graph within the limit is unchanged', () => {
  const graph = mergeAnswers([lineageOf('b', [['a', 'b']])]);
  expect(limitNodes(graph, 200)).toBe(graph);
});

test('an answer is restricted to shown nodes', () => {
  const answer = lineageOf('p', [
    ['p', 'a'],
    ['p', 'b'],
    ['p', 'c']
  ]);
  const part = restrictAnswer(answer, new Set(['p', 'a', 'b']));
  expect(part.edges.map(edge => edge.target)).toEqual(['a', 'b']);
  expect(part.nodes.find(node => node.urn === 'p')?.notShown).toEqual({ upstream: 0, downstream: 1 });
});
