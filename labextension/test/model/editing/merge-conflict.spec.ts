import { expect, test } from 'vitest';
import { mergeVersions } from '../../../src/model/editing/merge-conflict';

test('changes of different fields are both kept', () => {
  const base = { properties: { owner: 'ops', refresh: 'daily' }, tags: ['raw', 'old'] };
  const mine = { properties: { owner: 'sales', refresh: 'daily' }, tags: ['raw', 'mine'] };
  const theirs = { properties: { owner: 'ops', steward: 'ada' }, tags: ['raw', 'old', 'theirs'] };
  expect(mergeVersions(base, mine, theirs)).toEqual({
    value: { properties: { owner: 'sales', steward: 'ada' }, tags: ['raw', 'theirs', 'mine'] },
    conflicts: []
  });
});

test('a field that both changed is a conflict with a choice', () => {
  const base = { properties: { owner: 'ops', unit: 'm' } };
  const mine = { properties: { owner: 'me' } };
  const theirs = { properties: { owner: 'them', unit: 'km', new: 'x' } };
  const conflicts = [
    { pointer: '/properties/owner', mine: 'me', theirs: 'them' },
    { pointer: '/properties/unit', mine: undefined, theirs: 'km' }
  ];
  expect(mergeVersions(base, mine, theirs)).toEqual({ value: { properties: { owner: 'me', new: 'x' } }, conflicts });
  const choices = new Map([['/properties/owner', 'theirs' as const]]);
  expect(mergeVersions(base, mine, theirs, choices).value).toEqual({ properties: { owner: 'them', new: 'x' } });
});

test('items of a list are merged by their identity', () => {
  const item = (fieldPath: string, description: string): object => ({ fieldPath, description });
  const base = { fields: [item('a', '1'), item('b', '1')] } as never;
  const mine = { fields: [item('a', '2'), item('b', '1')] } as never;
  const theirs = { fields: [item('a', '1'), item('b', '2'), item('c', '1')] } as never;
  expect(mergeVersions(base, mine, theirs)).toEqual({
    value: { fields: [item('a', '2'), item('b', '2'), item('c', '1')] },
    conflicts: []
  });
});

test('lines are merged unless the changes touch each other', () => {
  const base = { code: ['a', 'b', 'c', 'd'] };
  expect(mergeVersions(base, { code: ['A', 'b', 'c', 'd'] }, { code: ['a', 'b', 'c', 'd', 'e'] })).toEqual({
    value: { code: ['A', 'b', 'c', 'd', 'e'] },
    conflicts: []
  });
  const mine = { code: ['a', 'X', 'c', 'd'] };
  expect(mergeVersions(base, mine, { code: ['a', 'Y', 'c', 'd'] }).conflicts).toHaveLength(1);
});

test('without a common document, only equal fields agree', () => {
  const { value, conflicts } = mergeVersions({}, { a: 1, same: 2, mine: 3 }, { a: 4, same: 2, theirs: 5 });
  expect(value).toEqual({ a: 1, same: 2, mine: 3, theirs: 5 });
  expect(conflicts).toEqual([{ pointer: '/a', mine: 1, theirs: 4 }]);
});
