import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { expect, test } from 'vitest';
import type { StagePlugin } from '../../../src/model/pipelines/pipeline-draft';
import {
  addStage,
  findObstacle,
  listConnections,
  listStages,
  orderStages,
  removeStage,
  renameStage
} from '../../../src/model/pipelines/pipeline-draft';
import { getValueAt } from '../../../src/model/schemas/pointer';

function plugin(type: StagePlugin['type'], name: string, most: number | null): StagePlugin {
  const schema = { type: 'object', properties: { mode: { default: 'error' } } };
  return { type, name, title: name, description: '', inputs: [most === 0 ? 0 : 1, most], schema };
}

const PLUGINS = [
  plugin('source', 'file', 0),
  plugin('transform', 'filter', 1),
  plugin('joiner', 'join', null),
  plugin('sink', 'file', 1),
  plugin('action', 'notify', 0)
];
const [FILE, FILTER] = PLUGINS as [StagePlugin, StagePlugin];

/** A draft with stages `name type` and connections `from > to`. */
function draftOf(stages: string[], connections: string[]): ReadonlyJSONObject {
  const names: Record<string, string> = {
    source: 'file',
    transform: 'filter',
    joiner: 'join',
    sink: 'file',
    action: 'notify'
  };
  return {
    display_name: 'Staff',
    metadata: {
      stages: stages.map(text => {
        const [name, type] = text.split(' ') as [string, string];
        return { name, type, plugin: names[type]! };
      }),
      connections: connections.map(text => {
        const [from, to] = text.split(' > ') as [string, string];
        return { from, to };
      })
    }
  };
}

function flat(draft: ReadonlyJSONObject): string[] {
  return listConnections(draft).map(({ from, to }) => `${from} > ${to}`);
}

test('a stage gets an unused name, its defaults and its connection', () => {
  const first = addStage({}, FILE, {});
  const second = addStage(first, FILE, {});
  expect(listStages(second).map(({ name }) => name)).toEqual(['file', 'file_2']);
  expect(getValueAt(second, '/metadata/stages/0/properties')).toEqual({ mode: 'error' });
  expect(flat(addStage(second, FILTER, { from: 'file' }))).toEqual(['file > filter']);
});

test('a stage is inserted into a connection', () => {
  const draft = draftOf(['a source', 'b sink'], ['a > b']);
  expect(flat(addStage(draft, FILTER, { from: 'a', to: 'b' }))).toEqual(['a > filter', 'filter > b']);
});

test('removing a stage removes its connections', () => {
  const draft = draftOf(['a source', 'b transform', 'c sink'], ['a > b', 'b > c', 'a > c']);
  const removed = removeStage(draft, 1);
  expect(listStages(removed).map(({ name }) => name)).toEqual(['a', 'c']);
  expect(flat(removed)).toEqual(['a > c']);
});

test('renaming a stage renames its connections unless its name is ambiguous', () => {
  const draft = draftOf(['a source', 'b sink'], ['a > b']);
  expect(flat(renameStage(draft, 0, 'x'))).toEqual(['x > b']);
  const twice = draftOf(['a source', 'a source', 'b sink'], ['a > b']);
  expect(flat(renameStage(twice, 1, 'x'))).toEqual(['a > b']);
});

test('stages are ordered as the server executes them', () => {
  const draft = draftOf(
    ['n action', 'o sink', 'a source', 'b source', 'j joiner'],
    ['a > j', 'b > j', 'j > o', 'o > n']
  );
  const stages = listStages(draft);
  const order = (connections: string[]): string =>
    orderStages(stages, listConnections(draftOf([], connections)))
      .map(index => stages[index]!.name)
      .join('');
  expect(order(flat(draft))).toBe('abjon');
  // A cycle does not lose a stage.
  expect([...order(['a > j', 'j > a'])].sort().join('')).toBe('abjno');
});

test.each([
  ['a', 'a', 'same'],
  ['a', 'b', 'exists'],
  ['b', 'a', 'cycle'],
  ['b', 'n', 'no-input'],
  ['x', 'b', 'full'],
  ['c', 'n', null],
  ['x', 'j', null]
] as const)('the obstacle of a connection from %s to %s is %s', (from, to, obstacle) => {
  const stages = ['a source', 'x source', 'b transform', 'c sink', 'n action', 'j joiner'];
  expect(findObstacle(draftOf(stages, ['a > b', 'b > c', 'a > j']), { from, to }, PLUGINS)).toBe(obstacle);
});

test('an invalid draft has stages without values', () => {
  expect(listStages({ metadata: { stages: [1, { name: 2 }] } })).toEqual([
    { name: '', type: '', plugin: '' },
    { name: '', type: '', plugin: '' }
  ]);
  expect(listStages({ metadata: 'x' })).toEqual([]);
});
