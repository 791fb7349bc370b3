import { expect, test } from 'vitest';
import { Catalog } from '../../src/api/client';
import { DisplayNames } from '../../src/model/display-names';
import { FakeFeed } from '../support/feed';
import { FakeServer, cell, table } from '../support/server';
import { waitUntil } from '../support/wait-until';

test('names are read together, once, and again after a change of their entities', async () => {
  let name = 'Load';
  const server = new FakeServer().on('POST', 'entities/display-names', ({ body }) => {
    const { urns } = body as { urns: string[] };
    return { body: { displayNames: Object.fromEntries(urns.map(urn => [urn, `${name} ${urn.slice(-3, -1)}`])) } };
  });
  const feed = new FakeFeed();
  const open = feed.feed.keepOpen();
  const names = new DisplayNames(new Catalog(server.settings), feed.feed);
  names.request([cell('a1'), cell('b2'), table('orders')]);
  names.request([cell('a1')]);
  await waitUntil(() => names.state.size === 2);
  expect(server.seen.map(({ body }) => body)).toEqual([{ urns: [cell('a1'), cell('b2')] }]);
  expect(names.state.get(cell('a1'))).toBe('Load a1');
  name = 'Clean';
  feed.emit('orders', { operation: 'access', aspect: null, value: { program: cell('b2'), mode: 'write' } });
  await waitUntil(() => names.state.get(cell('b2')) === 'Clean b2');
  expect(names.state.get(cell('a1'))).toBe('Load a1');
  open.dispose();
  names.dispose();
});

test('names that cannot be read are requested again', async () => {
  const server = new FakeServer();
  const names = new DisplayNames(new Catalog(server.settings), null);
  names.request([cell('a1')]);
  await waitUntil(() => server.seen.length === 1);
  server.on('POST', 'entities/display-names', { body: { displayNames: { [cell('a1')]: 'Load' } } });
  await waitUntil(() => {
    names.request([cell('a1')]);
    return names.state.get(cell('a1')) === 'Load';
  });
  names.dispose();
});
