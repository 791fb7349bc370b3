import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { IOwnerNotification } from '../../../src/model/stewardship/owner-notifier';
import { OwnerNotifier } from '../../../src/model/stewardship/owner-notifier';
import { EntityUrns } from '../../support/entity-urns';
import { FakeFeed } from '../../support/feed';
import { column, FakeServer, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const ALL = { notifyOwned: true, notifyRequests: true };
const REQUEST = `urn:li:request:(${table('mine')},r1)`;
let notifier: OwnerNotifier | null = null;

afterEach(() => notifier?.dispose());

/** A user `ada` in the team `data`, who owns tables named `mine…`. */
function start(followed: string[] = []): { feed: FakeFeed; seen: IOwnerNotification[]; server: FakeServer } {
  const teams = [{ owner: 'urn:li:corpGroup:data', name: 'Data team' }];
  const server = new FakeServer()
    .on('GET', 'me/teams', { body: { user: 'urn:li:corpuser:ada', isSteward: false, teams } })
    .on('POST', 'me/owned', ({ body }) => ({
      body: { urns: (body as { urns: string[] }).urns.filter(urn => urn.includes('.mine')) }
    }));
  const [feed, seen] = [new FakeFeed(), [] as IOwnerNotification[]];
  const catalog = new Catalog(server.settings);
  notifier = new OwnerNotifier(catalog, feed.feed, new EntityUrns(followed), found => seen.push(...found), 0);
  notifier.settings = ALL;
  return { feed, seen, server };
}

function emitRequest(feed: FakeFeed, value: object, previous: object | null = null): void {
  const parts = { type: 'request', aspect: 'request', urn: REQUEST, actor: 'ben' } as const;
  feed.emit('mine', { ...parts, value: { about: table('mine'), text: 'Right?', ...value }, previous });
}

test('changes by others of owned tables are notified once each, with the table of a column', async () => {
  const { feed, seen, server } = start();
  feed.emit('mine', { actor: 'ben' });
  feed.emit('dep_delay', { actor: 'ben', urn: column('mine', 'dep_delay'), type: 'schemaField' });
  feed.emit('mine', { actor: 'ada' });
  feed.emit('other', { actor: 'ben' });
  feed.emit('mine_too', { actor: 'cleo', aspect: 'status', scope: 'SYSTEM', value: { removed: true } });
  await waitUntil(() => seen.length > 0);
  expect(seen.map(({ reason, urn, actor }) => [reason, urn, actor])).toEqual([
    ['changed', table('mine'), 'ben'],
    ['deleted', table('mine_too'), 'cleo']
  ]);
  expect(server.count('POST', 'me/owned')).toBe(1);
});

test('a changed schema outlasts later changes, and followed tables are left out', async () => {
  const { feed, seen } = start([table('mine_followed')]);
  feed.emit('mine_followed', { actor: 'ben' });
  feed.emit('mine', { actor: 'ben', aspect: 'schemaMetadata', scope: 'SYSTEM', previous: { fields: [] }, value: {} });
  feed.emit('mine', { actor: 'ben' });
  await waitUntil(() => seen.length > 0);
  expect(seen.map(({ reason, urn }) => [reason, urn])).toEqual([['schema-changed', table('mine')]]);
});

test('requests to the team and answers to own requests are notified', async () => {
  const { feed, seen } = start();
  const toTeam = { author: 'urn:li:corpuser:ben', state: 'open', assignees: ['urn:li:corpGroup:data'] };
  emitRequest(feed, toTeam);
  emitRequest(feed, { ...toTeam, assignees: ['cleo'] });
  await waitUntil(() => seen.length > 0);
  const mine = { author: 'urn:li:corpuser:ada', state: 'declined', assignees: ['ben'] };
  emitRequest(feed, mine, { ...mine, state: 'open' });
  await waitUntil(() => seen.length > 1);
  emitRequest(feed, { ...toTeam, kind: 'change' });
  const proposed = { ...mine, kind: 'change' };
  emitRequest(feed, { ...proposed, state: 'answered' }, proposed);
  emitRequest(feed, proposed, { ...proposed, state: 'open' });
  await waitUntil(() => seen.length > 4);
  expect(seen.map(({ reason, urn, text }) => [reason, urn, text])).toEqual([
    ['asked', table('mine'), 'Right?'],
    ['declined', table('mine'), 'Right?'],
    ['proposed', table('mine'), 'Right?'],
    ['applied', table('mine'), 'Right?'],
    ['rejected', table('mine'), 'Right?']
  ]);
});

test('the feed is open only while something is notified', () => {
  const { feed } = start();
  expect(feed.holders).toBe(1);
  notifier!.settings = { notifyOwned: false, notifyRequests: false };
  expect(feed.holders).toBe(0);
});
