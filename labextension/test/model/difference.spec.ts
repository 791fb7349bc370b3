import { expect, test } from 'vitest';
import { comparison, differences } from '../../src/model/difference';

test('the first version is told leaf by leaf', () => {
  expect(differences([{ op: 'add', path: '', value: { properties: { owner: 'ops' }, tags: ['faa', 'raw'] } }])).toEqual(
    [
      { kind: 'added', place: 'properties › owner', value: 'ops' },
      { kind: 'added', place: 'tags', value: 'faa' },
      { kind: 'added', place: 'tags', value: 'raw' }
    ]
  );
});

test('changes and removals name their place as a person would', () => {
  expect(
    differences([
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

test('moments of machines are told in the time zone of who reads, and other numbers as they are', () => {
  const time = Date.UTC(2026, 10, 22, 12);
  const value = { time, files: 3, lastObservedMillis: time, rowCount: time, created: { time } };
  expect(differences([{ op: 'add', path: '', value }]).map(one => one.value)).toEqual([
    new Date(time).toLocaleString(),
    '3',
    new Date(time).toLocaleString(),
    String(time),
    new Date(time).toLocaleString()
  ]);
});

test('a comparison gives old values, removed ones too, and knows items of lists by their names', () => {
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
  expect(comparison(before, after)).toEqual([
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

test('a comparison of lists of texts names what went and what came, and an order that changed', () => {
  expect(comparison({ tags: ['a', 'b'] }, { tags: ['b', 'c', 'd'] })).toEqual([
    { kind: 'removed', place: 'tags', old: 'a', value: undefined },
    { kind: 'added', place: 'tags', value: 'c' },
    { kind: 'added', place: 'tags', value: 'd' }
  ]);
  expect(comparison({ tags: ['a', 'b'] }, { tags: ['b', 'a'] })).toEqual([
    { kind: 'changed', place: 'tags', old: 'a, b', value: 'b, a' }
  ]);
  expect(comparison({ tags: [] }, { tags: [] })).toEqual([]);
});
