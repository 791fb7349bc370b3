import { expect, test } from 'vitest';
import { mergeAnswers, restrictAnswer } from '../../src/lineage/graph';
import { cell, lineageOf, table } from '../support/server';

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

test('a cell without a title of its own is named by the data that it writes', () => {
  const answer = lineageOf(table('a'), [
    [table('a'), cell('c1')],
    [cell('c1'), table('b')],
    [cell('c1'), table('c')],
    [table('a'), cell('reads')],
    [table('a'), cell('named')],
    [cell('named'), table('b')],
    [cell('below'), table('a')],
    [cell('last'), table('b')]
  ]);
  const titles = new Map([
    [cell('named'), 'Load'],
    [cell('below'), 'Heading'],
    [cell('last'), 'Heading']
  ]);
  const named = answer.nodes.map(node => ({
    ...node,
    ...(titles.has(node.urn) ? { title: titles.get(node.urn)! } : {})
  }));
  const graph = mergeAnswers([{ ...answer, nodes: named }]);
  const titleOf = (urn: string): string | undefined => graph.nodes.find(node => node.urn === urn)?.title;
  expect(titleOf(cell('c1'))).toBe('→ flights.b, flights.c');
  expect(titleOf(cell('reads'))).toBeUndefined();
  expect(titleOf(cell('named'))).toBe('Load');
  expect([titleOf(cell('below')), titleOf(cell('last'))]).toEqual(['→ flights.a', '→ flights.b']);
  expect(titleOf(table('b'))).toBeUndefined();
});
