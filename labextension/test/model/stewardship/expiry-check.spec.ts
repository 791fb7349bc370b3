import { expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { ExpiryCheck } from '../../../src/model/stewardship/expiry-check';
import { isExpired } from '../../../src/model/stewardship/certification';
import { answerOf, FakeServer, hit, problem } from '../../support/server';

function certified(name: string, until: string): ReturnType<typeof hit> {
  return { ...hit(name), certification: { by: 'Ada', until, note: '', expired: false } };
}

function createStorage(): Pick<Storage, 'getItem' | 'setItem'> {
  const items = new Map<string, string>();
  return { getItem: key => items.get(key) ?? null, setItem: (key, value) => void items.set(key, value) };
}

test('each stage of each certification is found once, and a renewed one again', async () => {
  let until = '2027-01-01';
  const server = new FakeServer().on('GET', 'search', ({ query }) => ({
    body: answerOf(query.get('certified') === 'expiring' ? [certified('a', until)] : [certified('b', '2026-01-01')])
  }));
  const storage = createStorage();
  const check = new ExpiryCheck(new Catalog(server.settings), storage);
  expect((await check.findNew()).map(({ stage, name }) => [stage, name])).toEqual([
    ['expiring', 'a'],
    ['expired', 'b']
  ]);
  expect(server.seen.every(({ query }) => query.get('owned') === 'teams')).toBe(true);
  expect(await new ExpiryCheck(new Catalog(server.settings), storage).findNew()).toEqual([]);
  until = '2028-01-01';
  expect((await check.findNew()).map(({ name }) => name)).toEqual(['a']);
});

test('nothing is found while the server does not answer', async () => {
  const server = new FakeServer().on('GET', 'search', problem(503, 'busy'));
  expect(await new ExpiryCheck(new Catalog(server.settings), null).findNew()).toEqual([]);
});

test('the last day of a certification is included', () => {
  expect(isExpired('2026-11-26', Date.parse('2026-11-26T23:59:59Z'))).toBe(false);
  expect(isExpired('2026-11-26', Date.parse('2026-11-27T00:00:00Z'))).toBe(true);
  expect(isExpired(null, Date.parse('2099-01-01T00:00:00Z'))).toBe(false);
});
