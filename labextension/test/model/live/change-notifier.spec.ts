import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { IChangeNotification } from '../../../src/model/live/change-notifier';
import { ChangeNotifier } from '../../../src/model/live/change-notifier';
import { EntityUrns } from '../../support/entity-urns';
import { FakeFeed } from '../../support/feed';
import { cell, column, FakeServer, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const RUN = 'urn:li:dataProcessInstance:r1';
let notifier: ChangeNotifier | null = null;

afterEach(() => notifier?.dispose());

function follow(...urns: string[]): { feed: FakeFeed; entities: EntityUrns; seen: IChangeNotification[] } {
  const server = new FakeServer().on('GET', 'me', { body: { user: { username: 'ada', name: 'Ada' } } });
  const [feed, entities, seen] = [new FakeFeed(), new EntityUrns(urns), [] as IChangeNotification[]];
  notifier = new ChangeNotifier(new Catalog(server.settings), feed.feed, entities, one => seen.push(one));
  return { feed, entities, seen };
}

test('the feed is open only while an entity is followed', async () => {
  const { feed, entities } = follow();
  expect(feed.holders).toBe(0);
  await entities.toggle(table('a'));
  expect(feed.holders).toBe(1);
  await entities.toggle(table('b'));
  expect(feed.holders).toBe(1);
  await entities.toggle(table('a'));
  await entities.toggle(table('b'));
  expect(feed.holders).toBe(0);
});

test('changes by others are notified, own changes and other entities are not', async () => {
  const { feed, seen } = follow(table('a'));
  feed.emit('other', { actor: 'bob' });
  feed.emit('a', { actor: 'ada' });
  feed.emit('a', { actor: 'bob', urn: column('a', 'dep_delay'), type: 'schemaField' });
  await waitUntil(() => seen.length > 0);
  feed.emit('a', { actor: 'bob', aspect: null, operation: 'delete' });
  await waitUntil(() => seen.length > 1);
  expect(seen.map(({ reason, urn, actor }) => [reason, urn, actor])).toEqual([
    ['changed', table('a'), 'bob'],
    ['deleted', table('a'), 'bob']
  ]);
});

test('a changed schema is notified whoever wrote it, a first one is not', async () => {
  const { feed, seen } = follow(table('a'));
  const schema = { aspect: 'schemaMetadata', scope: 'SYSTEM', actor: 'ada' } as const;
  feed.emit('a', { ...schema, previous: null, value: { fields: [] } });
  feed.emit('a', { ...schema, previous: { fields: [] }, value: { fields: [1] } });
  await waitUntil(() => seen.length > 0);
  expect(seen.map(one => one.reason)).toEqual(['schema-changed']);
});

test('a failed run that writes a followed table is notified when it ends', async () => {
  const { feed, seen } = follow(table('a'));
  const access = { aspect: null, operation: 'access', scope: 'SYSTEM', run: RUN } as const;
  feed.emit('a', { ...access, actor: 'ada', value: { mode: 'write' } });
  const end = { ...access, operation: 'run-end', urn: cell('c1'), name: 'flights.ipynb#c1' } as const;
  feed.emit('a', { ...end, run: 'urn:li:dataProcessInstance:r2', value: { status: 'failed' } });
  feed.emit('a', { ...end, value: { status: 'failed' } });
  await waitUntil(() => seen.length > 0);
  expect(seen).toEqual([
    {
      reason: 'run-failed',
      urn: table('a'),
      named: cell('c1'),
      name: 'flights.ipynb#c1',
      actor: 'bob',
      run: RUN,
      changes: []
    }
  ]);
});
