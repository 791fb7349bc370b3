import { expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { findFileEntity } from '../../../src/model/notebooks/file-entity';
import type { Run } from '../../../src/generated/api';
import { answerOf, FakeServer, hit, runOf, table } from '../../support/server';

const ACCESS: Run['accesses'][number] = {
  data: table('a'),
  mode: 'read',
  component: '',
  first: '2026-11-20T12:00:00.000Z',
  last: '2026-11-20T12:00:00.000Z',
  statements: []
};

/** A server with datasets of files, by their names. */
function createCatalog(...names: string[]): Catalog {
  const hits = names.map(name => ({ ...hit(name), urn: `urn:${name}`, name, platform: 'file' }));
  const server = new FakeServer().on('GET', 'search', ({ query }) => ({
    body: answerOf(hits.filter(({ name }) => `name:"${name.split('/').at(-1)}"` === query.get('q')))
  }));
  return new Catalog(server.settings);
}

test('a file is found by its absolute path', async () => {
  const catalog = createCatalog('/other/raw/orders.csv', '/srv/raw/orders.csv');
  const urn = 'urn:/srv/raw/orders.csv';
  expect(await findFileEntity(catalog, '/srv', 'raw/orders.csv')).toEqual({ page: urn, lineage: urn });
  expect(await findFileEntity(catalog, '/srv', 'orders.csv')).toBeNull();
});

test('the root can be abbreviated to the home directory', async () => {
  const catalog = createCatalog('/users/ada/old/orders.csv', '/users/ada/project/orders.csv');
  expect((await findFileEntity(catalog, '~/project', 'orders.csv'))?.page).toBe('urn:/users/ada/project/orders.csv');
});

test('a part of a dataset is found by its folder', async () => {
  const catalog = createCatalog('/srv/totals');
  expect((await findFileEntity(catalog, '/srv/', 'totals/part-0.parquet'))?.page).toBe('urn:/srv/totals');
  expect(await findFileEntity(catalog, '/srv', 'totals.csv')).toBeNull();
});

test('a notebook has its own page, and the lineage of its newest cell with data', async () => {
  const whole = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),notebooks.flights.ipynb)';
  const withData: Run = { ...runOf('c1'), accesses: [ACCESS] };
  let runs: Run[] = [];
  const server = new FakeServer().on('GET', 'cell-runs', () => ({ body: { runs, cursor: null } }));
  const find = () => findFileEntity(new Catalog(server.settings), '/srv', 'flights.ipynb');
  expect(await find()).toBeNull();
  runs = [runOf('c2'), withData];
  expect(await find()).toEqual({ page: withData.program, lineage: withData.program });
  runs = [runOf('c2'), withData, { ...runOf('c3'), program: whole }];
  expect(await find()).toEqual({ page: whole, lineage: withData.program });
});
