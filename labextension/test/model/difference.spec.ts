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
