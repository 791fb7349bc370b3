import { expect, test } from 'vitest';
import { compareDocuments, readPatch } from '../../src/model/difference';

test('the first version lists all leaves', () => {
  expect(readPatch([{ op: 'add', path: '', value: { properties: { owner: 'ops' }, tags: ['faa', 'raw'] } }])).toEqual([
    { kind: 'added', place: 'properties › owner', value: 'ops' },
    { kind: 'added', place: 'tags', value: 'faa' },
    { kind: 'added', place: 'tags', value: 'raw' }
  ]);
});

test('changes and removals have readable locations', () => {
  expect(
    readPatch([
      { op: 'replace', path: '/properties/a~1b', value: 'x' },
      { op: 'remove', path: '/tags/0' },
      { op: 'add', path: '/tags/-', value: 'new' },
      { op: 'test', path: '/tags', value: [] },
      { op: 'replace', path: '/n', value: 4 }
    ])
  ).toEqual([
    { kind: 'changed', place: 'properties › a/b', value: 'x' },
    { kind: 'removed', place: 'tags', value: undefined },
    { kind: 'added', place: 'tags', value: 'new' },
    { kind: 'changed', place: 'n', value: '4' }
  ]);
});

test('times are formatted in the local time zone', () => {
  const time = Date.UTC(2026, 10, 22, 12);
  const value = { time, files: 3, lastObservedMillis: time, rowCount: time, created: { time } };
  expect(readPatch([{ op: 'add', path: '', value }]).map(item => item.value)).toEqual([
    new Date(time).toLocaleString(),
    '3',
    new Date(time).toLocaleString(),
    String(time),
    new Date(time).toLocaleString()
  ]);
});

test('a comparison has old values and identifies list items by name', () => {
  const field = (fieldPath: string, nativeDataType: string): object => ({ fieldPath, nativeDataType });
  const before = {
    tags: ['raw-data', 'faa'],
    properties: { owner: 'ops', note: 'x' },
    fields: [field('price', 'string'), field('email', 'string')]
  };
  const after = {
    tags: ['faa', 'gold'],
    properties: { owner: 'sales' },
    fields: [field('email', 'int'), field('total', 'int')]
  };
  expect(compareDocuments(before, after)).toEqual([
    { kind: 'changed', place: 'tags', old: 'raw-data', value: 'gold' },
    { kind: 'changed', place: 'properties › owner', old: 'ops', value: 'sales' },
    { kind: 'removed', place: 'properties › note', old: 'x', value: undefined },
    { kind: 'removed', place: 'fields › price › fieldPath', old: 'price', value: undefined },
    { kind: 'removed', place: 'fields › price › nativeDataType', old: 'string', value: undefined },
    { kind: 'changed', place: 'fields › email › nativeDataType', old: 'string', value: 'int' },
    { kind: 'added', place: 'fields › total › fieldPath', value: 'total' },
    { kind: 'added', place: 'fields › total › nativeDataType', value: 'int' }
  ]);
});

test('a comparison of text lists has additions, removals and order', () => {
  expect(compareDocuments({ tags: ['a', 'b'] }, { tags: ['b', 'c', 'd'] })).toEqual([
    { kind: 'removed', place: 'tags', old: 'a', value: undefined },
    { kind: 'added', place: 'tags', value: 'c' },
    { kind: 'added', place: 'tags', value: 'd' }
  ]);
  expect(compareDocuments({ tags: ['a', 'b'] }, { tags: ['b', 'a'] })).toEqual([
    { kind: 'changed', place: 'tags', old: 'a, b', value: 'b, a' }
  ]);
  expect(compareDocuments({ tags: [] }, { tags: [] })).toEqual([]);
});
