import { expect, test } from 'vitest';
import type { Key } from '../../../src/model/search/query';
import { toKeyQuery, toTypedQuery } from '../../../src/model/search/query';
import { parseTerms, quoteTerm, removeTerm } from '../../../src/model/search/query-terms';

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

test('keys of all kinds convert to queries', () => {
  expect(toKeyQuery(OWNER)).toBe('owner:*');
  expect(toKeyQuery({ key: 'faa', kind: 'tag' })).toBe('tags:faa');
  expect(toKeyQuery({ key: 'origin', kind: 'field' })).toBe('schema:origin');
  expect(toKeyQuery({ key: 'schema', kind: 'field' })).toBe('schema:*');
});

test('a query is split as by the server', () => {
  const terms = parseTerms('faa owner:ops  note="every morning" :x "a:b c');
  expect(terms.map(({ key, value }) => [key, value])).toEqual([
    [null, 'faa'],
    ['owner', 'ops'],
    ['note', 'every morning'],
    [null, ':x'],
    ['a', 'b c']
  ]);
});

test('a term is removed with its spaces', () => {
  const text = 'faa owner:ops  raw';
  const [first, second, third] = parseTerms(text);
  expect([first, second, third].map(term => term && removeTerm(text, term))).toEqual([
    'owner:ops  raw',
    'faa raw',
    'faa owner:ops'
  ]);
  expect([quoteTerm('a b'), quoteTerm('ab')]).toEqual(['"a b"', 'ab']);
});
