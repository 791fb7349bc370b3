import { expect, test } from 'vitest';
import type { Key } from '../../src/model/query';
import { carrierQuery, foundKeys, keyPrefix, typedQuery } from '../../src/model/query';
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
])('while typing %j the last word may still grow: %j', (typed, query) => {
  expect(typedQuery(typed)).toBe(query);
});

test.each([
  ['ops', 'ops'],
  ['faa own', 'own'],
  ['owner:op', ''],
  ['"x', ''],
  ['', '']
])('keys are looked for by the last word of %j: %j', (typed, prefix) => {
  expect(keyPrefix(typed)).toBe(prefix);
});

test('a key leads to what carries it, whatever kind it is of', () => {
  expect(carrierQuery(OWNER)).toBe('owner:*');
  expect(carrierQuery({ key: 'faa', kind: 'tag' })).toBe('tags:faa');
  expect(carrierQuery({ key: 'origin', kind: 'field' })).toBe('schema:origin');
  expect(carrierQuery({ key: 'schema', kind: 'field' })).toBe('schema:*');
});

test('keys named like the text come first, then those whose values carry it', () => {
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
  expect(foundKeys([contact], hits)).toEqual([
    { ...contact, values: ['ops@x'] },
    { key: 'owner', kind: 'property', scope: 'USER', entities: undefined, values: ['ops'] },
    { key: 'ops-night', kind: 'tag', scope: 'USER', entities: undefined, values: [] },
    { key: 'ops_id', kind: 'field', scope: 'SYSTEM', entities: undefined, values: [] }
  ]);
});

test('the same key written by people and by machines stays two keys', () => {
  const machine: Key = { ...OWNER, scope: 'SYSTEM' };
  expect(foundKeys([OWNER, machine], [])).toHaveLength(2);
});
