import { expect, test } from 'vitest';
import { differences } from '../../src/model/difference';

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
