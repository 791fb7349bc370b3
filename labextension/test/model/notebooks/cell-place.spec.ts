import { expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { resolveCell } from '../../../src/model/notebooks/cell-place';
import { hashSource } from '../../../src/model/notebooks/source-hash';
import { FakeServer, runOf } from '../../support/server';

test('a run resolves to its cell, by the present path of its notebook', async () => {
  const moved = { ...runOf('b1'), facts: { notebook: 'Untitled.ipynb', cellId: 'b1' } };
  const script = { ...runOf('x'), program: 'urn:li:dataJob:(urn:li:dataFlow:(airflow,etl,prod),load)', facts: {} };
  const server = new FakeServer()
    .on('GET', `runs/${moved.urn}`, { body: moved })
    .on('GET', `runs/${script.urn}`, { body: script });
  const catalog = new Catalog(server.settings);
  expect(await resolveCell(catalog, { run: moved.urn })).toEqual({ path: 'flights.ipynb', cell: 'b1', run: moved });
  expect(await resolveCell(catalog, { run: script.urn })).toBe(null);
});

test('a cell without a run gets its newest run, if there is one', async () => {
  const run = runOf('b1');
  const server = new FakeServer().on('GET', 'cell-runs', { body: { runs: [run], cursor: null } });
  const catalog = new Catalog(server.settings);
  const path = 'flights.ipynb';
  expect(await resolveCell(catalog, { path, cell: 'b1' })).toEqual({ path, cell: 'b1', run });
  expect(await resolveCell(catalog, { path, cell: 'c1' })).toEqual({ path, cell: 'c1', run: null });
  expect(await resolveCell(new Catalog(new FakeServer().settings), { path, cell: 'b1' })).toMatchObject({ run: null });
  expect(await resolveCell(catalog, {})).toBe(null);
});

test('sources are hashed as by the kernel', async () => {
  expect(await hashSource('x = "ä"')).toBe('sha256:61a5cda926bf455a567d79cd23f493a183aac6421097a73e631d40794ac81784');
});
