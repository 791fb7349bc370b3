import { expect, test } from 'vitest';
import type { Change } from '../../src/generated/api';
import { recentEntities } from '../../src/model/recent';
import { cell, table } from '../support/server';

function change(name: string, part: Partial<Change>): Change {
  return {
    seq: 0,
    time: '2026-11-20T12:00:00.000Z',
    urn: table(name),
    type: 'dataset',
    namespace: 'flights',
    name,
    aspect: 'businessMetadata',
    operation: 'update',
    version: 1,
    scope: 'USER',
    actor: 'ada',
    via: null,
    run: null,
    previous: null,
    value: null,
    ...part
  };
}

test('what changed last comes first, and every entity once', () => {
  const recent = recentEntities([change('a', {}), change('b', {}), change('a', { actor: 'bob' })]);
  expect(recent.map(one => [one.name, one.actor])).toEqual([
    ['a', 'bob'],
    ['b', 'ada']
  ]);
});

test('a read or a write counts as used, the beginning of a run as nothing', () => {
  const recent = recentEntities([
    change('a', { operation: 'access', aspect: null, run: 'r' }),
    change('b1', { operation: 'run-start', aspect: null, type: 'dataJob', urn: cell('b1') })
  ]);
  expect(recent.map(one => [one.name, one.how])).toEqual([['a', 'used']]);
});

test('what was deleted last is left out, and what was made again is not', () => {
  const gone = change('a', { operation: 'delete', aspect: null });
  expect(recentEntities([change('a', {}), gone])).toEqual([]);
  expect(recentEntities([gone, change('a', { operation: 'create' })])).toHaveLength(1);
});

test('the list is bounded', () => {
  const many = Array.from({ length: 30 }, (_, index) => change(`t${index}`, {}));
  expect(recentEntities(many, 4).map(one => one.name)).toEqual(['t29', 't28', 't27', 't26']);
});
