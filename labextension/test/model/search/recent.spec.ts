import { expect, test } from 'vitest';
import type { Change } from '../../../src/generated/api';
import { listRecentEntities } from '../../../src/model/search/recent';
import { cell, table } from '../../support/server';

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
    summary: '',
    ...part
  };
}

test('recent entities are listed once, newest first', () => {
  const recent = listRecentEntities([change('a', {}), change('b', {}), change('a', { actor: 'bob' })]);
  expect(recent.map(item => [item.name, item.actor])).toEqual([
    ['a', 'bob'],
    ['b', 'ada']
  ]);
});

test('accesses count as use, run starts are ignored', () => {
  const recent = listRecentEntities([
    change('a', { operation: 'access', aspect: null, run: 'r' }),
    change('b1', { operation: 'run-start', aspect: null, type: 'dataJob', urn: cell('b1') })
  ]);
  expect(recent.map(item => [item.name, item.activity])).toEqual([['a', 'used']]);
});

test('variables of notebooks are not listed', () => {
  const urn = 'urn:li:dataset:(urn:li:dataPlatform:notebook,default%2Fa.ipynb#cell#orders,PROD)';
  expect(listRecentEntities([change('orders', { urn, operation: 'access', aspect: null })])).toEqual([]);
});

test('deleted entities are omitted unless created again', () => {
  const gone = change('a', { operation: 'delete', aspect: null });
  expect(listRecentEntities([change('a', {}), gone])).toEqual([]);
  expect(listRecentEntities([gone, change('a', { operation: 'create' })])).toHaveLength(1);
});

test('the list is limited', () => {
  const many = Array.from({ length: 30 }, (_, index) => change(`t${index}`, {}));
  expect(listRecentEntities(many, 4).map(item => item.name)).toEqual(['t29', 't28', 't27', 't26']);
});
