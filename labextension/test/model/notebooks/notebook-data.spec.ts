import { expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { Run } from '../../../src/generated/api';
import { NotebookDataModel } from '../../../src/model/notebooks/notebook-data';
import { FakeFeed } from '../../support/feed';
import { FakeServer, runOf, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const WROTE: Run['accesses'][number] = {
  data: table('b'),
  mode: 'write',
  component: '',
  first: '2026-11-20T12:00:00.000Z',
  last: '2026-11-20T12:00:00.000Z',
  statements: []
};

test('reads and writes are those of the newest run of each cell, and follow changes', async () => {
  const newer: Run = { ...runOf('c2'), accesses: [{ ...WROTE, mode: 'read' }] };
  const older: Run = { ...runOf('c1'), accesses: [WROTE, { ...WROTE, data: table('a'), mode: 'both' }] };
  let runs = [older];
  const server = new FakeServer().on('GET', 'cell-runs', ({ query }) => ({
    body: { runs: query.get('notebook') === 'flights.ipynb' ? runs : [], cursor: null }
  }));
  const changes = new FakeFeed();
  const model = new NotebookDataModel(new Catalog(server.settings), changes.feed, 'flights.ipynb');
  model.show();
  await waitUntil(() => model.state.runs.length === 1);
  expect(model.state.writes.map(use => use.urn)).toEqual([table('b'), table('a')]);
  expect(model.state.reads).toEqual([{ urn: table('a'), run: older }]);

  runs = [newer, older];
  await waitUntil(() => changes.holders > 0);
  changes.emit('b', { operation: 'access', value: { mode: 'read', program: newer.program } });
  await waitUntil(() => model.state.runs.length === 2);
  expect(model.state.reads.map(use => use.run)).toEqual([newer, older]);

  model.setPath('other.ipynb');
  expect(model.state.writes).toEqual([]);
  await waitUntil(() => !model.state.busy);
  expect([model.state.path, model.state.runs]).toEqual(['other.ipynb', []]);
  const { seen } = server;
  model.setPath(null);
  await waitUntil(() => !model.state.busy);
  expect(seen.length).toBe(server.seen.length);
  model.dispose();
});
