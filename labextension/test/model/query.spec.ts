import { expect, test } from 'vitest';
import type { Key } from '../../src/model/query';
import { toKeyQuery, mergeKeys, getKeyPrefix, toTypedQuery } from '../../src/model/query';
import { hit } from '../support/server';

const OWNER: Key = { key: 'owner', kind: 'property', scope: 'USER', entities: 2 };

test.each([
  ['ops', 'ops*'],
  ['  faa raw ', 'faa raw*'],
  ['ops*', 'ops*'],
  ['owner:', 'owner:*'],
  ['owner:op', 'owner:op*'],
  ['"every mor', '"every mor'],
  ['"every morning"', '"every morning"'],
  ['creation-time:2026-1', 'creation-time:2026-1*'],
  ['creation-time:>=2026-11-01', 'creation-time:>=2026-11-01'],
  ['ops last-update-time=now-7d..', 'ops last-update-time=now-7d..'],
  ['owner:>=1', 'owner:>=1*'],
  ['   ', '']
])('typing %j searches for %j', (typed, query) => {
  expect(toTypedQuery(typed)).toBe(query);
});

test.each([
  ['ops', 'ops'],
  ['faa own', 'own'],
  ['owner:op', ''],
  ['"x', ''],
  ['', '']
])('the key prefix of %j is %j', (typed, prefix) => {
  expect(getKeyPrefix(typed)).toBe(prefix);
});

test('keys of all kinds convert to queries', () => {
  expect(toKeyQuery(OWNER)).toBe('owner:*');
  expect(toKeyQuery({ key: 'faa', kind: 'tag' })).toBe('tags:faa');
  expect(toKeyQuery({ key: 'origin', kind: 'field' })).toBe('schema:origin');
  expect(toKeyQuery({ key: 'schema', kind: 'field' })).toBe('schema:*');
});

test('keys with matching names come before those with matching values', () => {
  const contact: Key = { key: 'ops-contact', kind: 'property', scope: 'USER', entities: 1 };
  const hits = [
    hit('a', [{ key: 'owner', value: 'ops', scope: 'USER' }]),
    hit('b', [
      { key: 'owner', value: 'ops', scope: 'USER' },
      { key: 'ops-contact', value: 'ops@x', scope: 'USER' },
      { key: 'tags', value: 'ops-night', scope: 'USER' },
      { key: 'schema', value: 'ops_id:int', scope: 'SYSTEM' }
    ])
  ];
  expect(mergeKeys([contact], hits)).toEqual([
    { ...contact, values: ['ops@x'] },
    { key: 'owner', kind: 'property', scope: 'USER', entities: undefined, values: ['ops'] },
    { key: 'ops-night', kind: 'tag', scope: 'USER', entities: undefined, values: [] },
    { key: 'ops_id', kind: 'field', scope: 'SYSTEM', entities: undefined, values: [] }
  ]);
});

test('user and system keys of one name are separate', () => {
  const machine: Key = { ...OWNER, scope: 'SYSTEM' };
  expect(mergeKeys([OWNER, machine], [])).toHaveLength(2);
});
