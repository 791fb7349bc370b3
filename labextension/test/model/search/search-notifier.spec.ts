import { afterEach, beforeEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { SearchResults } from '../../../src/generated/api';
import type { INewHits } from '../../../src/model/search/search-notifier';
import { SearchNotifier } from '../../../src/model/search/search-notifier';
import type { ISearch } from '../../../src/tokens';
import { FakeFeed } from '../../support/feed';
import { Searches } from '../../support/searches';
import { answerOf, FakeServer, hit, problem } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const SEARCH: ISearch = { query: 'tags:pii', filters: { namespace: 'flights' } };

let server: FakeServer;
let feed: FakeFeed;
let searches: Searches;
let seen: INewHits[];
let notifier: SearchNotifier;
/** The hits of every search, the latest changed first, in pages of 100. */
let hits: SearchResults['hits'];

beforeEach(() => {
  hits = [hit('a')];
  server = new FakeServer().on('GET', 'search', ({ query }) => {
    const start = Number(query.get('cursor') ?? 0);
    const end = start + Number(query.get('limit'));
    return { body: answerOf(hits.slice(start, end), end < hits.length ? String(end) : null) };
  });
  [feed, searches, seen] = [new FakeFeed(), new Searches(), []];
  notifier = new SearchNotifier(new Catalog(server.settings), feed.feed, searches, added => seen.push(added), 0);
});

afterEach(() => notifier.dispose());

async function follow(search = SEARCH): Promise<void> {
  const before = server.count('GET', 'search');
  await searches.toggle(search);
  await waitUntil(() => server.count('GET', 'search') > before && feed.feed.status === 'live');
}

function listSeen(): string[][] {
  return seen.map(added => added.hits.map(({ name }) => name));
}

test('new hits are notified once; hits at the start and changed ones are not', async () => {
  await follow();
  const [request] = server.seen;
  expect(request?.query.get('q')).toBe('tags:pii');
  expect(request?.query.get('namespace')).toBe('flights');
  hits = [hit('c'), hit('b'), hit('a')];
  feed.emit('b');
  feed.emit('c');
  await waitUntil(() => seen.length > 0);
  const before = server.count('GET', 'search');
  feed.emit('a');
  await waitUntil(() => server.count('GET', 'search') > before);
  hits = [hit('d'), ...hits];
  feed.emit('d');
  await waitUntil(() => seen.length > 1);
  expect(listSeen()).toEqual([['c', 'b'], ['d']]);
  expect(seen[0]?.search).toEqual(SEARCH);
});

test('the feed is open, and searches are sent, only while a search is followed', async () => {
  expect(feed.holders).toBe(0);
  await follow();
  expect(feed.holders).toBe(1);
  await searches.toggle(SEARCH);
  expect(feed.holders).toBe(0);
  expect(server.count('GET', 'search')).toBe(1);
});

test('accesses by runs do not cause a search', async () => {
  await follow();
  feed.emit('a', { operation: 'access', aspect: null });
  feed.emit('a', { operation: 'run-end', aspect: null });
  hits = [hit('b'), hit('a')];
  feed.emit('b');
  await waitUntil(() => seen.length > 0);
  expect(server.count('GET', 'search')).toBe(2);
});

test('of a search with very many hits, only entities that are created later are new', async () => {
  hits = Array.from({ length: 1500 }, (_, index) => hit(`t${index}`));
  await searches.toggle(SEARCH);
  await waitUntil(() => server.count('GET', 'search') === 10);
  const created = { time: '2026-11-21T00:00:00.000Z', actor: 'bob' };
  hits = [{ ...hit('fresh'), created }, hit('t1400'), ...hits];
  feed.emit('fresh');
  await waitUntil(() => seen.length > 0);
  expect(listSeen()).toEqual([['fresh']]);
});

test('hits that could not be read at the start are not new later', async () => {
  server.on('GET', 'search', problem(503, 'the store is away'));
  await follow();
  server.on('GET', 'search', () => ({ body: answerOf(hits) }));
  feed.emit('a');
  await waitUntil(() => server.count('GET', 'search') === 2);
  hits = [hit('b'), hit('a')];
  feed.emit('b');
  await waitUntil(() => seen.length > 0);
  expect(listSeen()).toEqual([['b']]);
});
