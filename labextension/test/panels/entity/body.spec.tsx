import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import type { Entity } from '../../../src/generated/api';
import type { EntityPanel } from '../../../src/panels/entity';
import type { ISearch } from '../../../src/tokens';
import { createEntityPage } from '../../support/entity-page';
import { EntityUrns } from '../../support/entity-urns';
import { answerOf, cell, column, entityOf, FakeServer, PEOPLE, runOf, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const VALUE = { properties: {}, tags: ['faa'] };

let panel: EntityPanel | null = null;
let opened: string[] = [];
let searched: ISearch[] = [];

afterEach(() => {
  panel?.dispose();
  panel = null;
});

function serving(entity: Entity): FakeServer {
  const { urn, type } = entity;
  return new FakeServer()
    .on('GET', `entities/${urn}`, { body: entity })
    .on('GET', `registry/${type}`, { body: { type, title: 'T', keyAspect: 'k', aspects: [PEOPLE] } })
    .on('GET', 'me', { body: { user: {}, via: null, scopes: ['read'], version: '0' } })
    .on('GET', 'runs', { body: { runs: [], cursor: null } })
    .on('GET', `entities/${urn}/aspects/datasetProfile/values`, { body: { values: [] } })
    .on('GET', `entities/${urn}/fields/metadata`, { body: { urn, fields: [], cursor: null } })
    .on('GET', `entities/${urn}/aspects/businessMetadata/versions`, { body: { versions: [], cursor: null } });
}

async function shown(server: FakeServer, urn: string, followed?: EntityUrns): Promise<void> {
  [opened, searched] = [[], []];
  const search = (of: ISearch): unknown => searched.push(of);
  panel = createEntityPage(server, urn, { open: other => opened.push(other), search, followed });
  Widget.attach(panel, document.body);
  await waitUntil(() => document.querySelector('section') !== null);
}

function button(name: string): HTMLButtonElement | undefined {
  return [...document.querySelectorAll('button')].find(item => item.textContent?.trim() === name);
}

test('the page of a column links to its table without lineage', async () => {
  const urn = column('staff', 'name');
  await shown(serving({ ...entityOf('name', VALUE), urn, type: 'schemaField' }), urn);
  expect(button('Lineage')).toBeUndefined();
  expect(document.querySelector('header')?.textContent).toContain('Column of flights.staff');
  button('flights.staff')?.click();
  expect(opened).toEqual([table('staff')]);
});

test('the page of a column shows its type in the schema of the table', async () => {
  const urn = column('staff', 'name');
  const fields = [{ fieldPath: 'name', nativeDataType: 'varchar(20)', nullable: false }];
  const schema = {
    ...entityOf('staff', VALUE).aspects['businessMetadata']!,
    name: 'schemaMetadata',
    value: { fields }
  };
  const server = serving({ ...entityOf('name', VALUE), urn, type: 'schemaField' });
  server.on('GET', `entities/${table('staff')}`, {
    body: { ...entityOf('staff', VALUE), aspects: { schemaMetadata: schema } }
  });
  await shown(server, urn);
  await waitUntil(() => document.querySelector('header code')?.textContent === 'varchar(20)');
  expect(document.querySelector('header')?.textContent).toContain('not null');
});

test('the page of a namespace counts its contents, and searches them', async () => {
  const urn = 'urn:li:namespace:flights';
  const facets = { type: [{ value: 'dataset', name: 'dataset', count: 7 }] };
  const entity = { ...entityOf('flights', VALUE), urn, type: 'namespace', platform: null };
  const server = serving(entity).on('GET', 'search', { body: { ...answerOf([]), facets } });
  await shown(server, urn);
  await waitUntil(() => document.querySelector('[aria-label="Contents"]') !== null);
  expect(document.querySelector('ul[aria-label="Contents"]')?.textContent).toBe('dataset7');
  button('dataset')?.click();
  expect(searched).toEqual([{ query: '*', filters: { namespace: 'flights', type: 'dataset' } }]);
});

test('the page of an application lists its programs only', async () => {
  const urn = 'urn:li:dataFlow:(colophon,shop,flights)';
  const programs = ['shop', 'other'].map(application => ({
    urn: `urn:li:dataJob:(urn:li:dataFlow:(colophon,${application},flights),workflows.${application}-job)`,
    type: 'dataJob',
    namespace: 'flights',
    name: `${application}-job`
  }));
  const entity = { ...entityOf('shop', VALUE), urn, type: 'dataFlow' };
  await shown(serving(entity).on('GET', 'entities', { body: { entities: programs, cursor: null } }), urn);
  await waitUntil(() => document.querySelector('ul[aria-label="Programs"]') !== null);
  expect(document.querySelector('ul[aria-label="Programs"]')?.textContent).toBe('shop-job');
  button('shop-job')?.click();
  expect(opened).toEqual([programs[0]?.urn]);
});

test('the page of a custom entity names its type and all of its keys', async () => {
  const urn = 'urn:li:custom:(jar,jar=udfs%2Cv.jar,version=1.2)';
  await shown(serving({ ...entityOf('1.2', VALUE), urn, type: 'custom', platform: null }), urn);
  expect(document.querySelector('h1')?.textContent).toBe('udfs,v.jar 1.2');
  expect(document.querySelector('header')?.textContent).toContain('jar');
  expect(document.querySelector('[aria-label="About"] dl')?.textContent).toMatch(/^jarudfs,v\.jarversion1\.2/);
});

test('the page of a program shows its last runs', async () => {
  const urn = cell('c1');
  const failed = { ...runOf('r1'), program: urn, status: 'failed' };
  const server = serving({ ...entityOf('flights.ipynb#c1', VALUE), urn, type: 'dataJob' });
  await shown(server.on('GET', 'runs', { body: { runs: [failed], cursor: null } }), urn);
  await waitUntil(() => document.querySelector('ul[aria-label="Last runs"]') !== null);
  expect(document.querySelector('ul[aria-label="Last runs"]')?.textContent).toContain('failed');
  expect(document.querySelector('header')?.textContent).toMatch(/last run .*, failed/);
});

test('the page of an instance names its schemaspace, and shows code as lines', async () => {
  const urn = 'urn:li:instance:(code-snippets,hello)';
  const spec = { ...PEOPLE, name: 'instance', title: 'Instance', described: [], schema: { type: 'object' } };
  const value = { display_name: 'hello', metadata: { code: ['print(1)', 'print(2)'], language: 'Python' } };
  const aspect = { ...entityOf('hello', value).aspects['businessMetadata']!, name: 'instance' };
  const entity = { ...entityOf('hello', VALUE), urn, type: 'instance', namespace: '', aspects: { instance: aspect } };
  const type = { type: 'instance', title: 'Instance', keyAspect: 'k', aspects: [spec] };
  await shown(serving(entity).on('GET', 'registry/instance', { body: type }), urn);
  expect(document.querySelector('[data-aspect="instance"] pre')?.textContent).toBe('print(1)\nprint(2)');
  expect(document.querySelector('header')?.textContent).toContain('code-snippets');
  expect(button('Open in editor')).toBeDefined();
});

test('the head warns of a deprecated entity, with the note as text', async () => {
  const entity = entityOf('a', VALUE);
  const value = { deprecated: true, note: 'Use <b>b</b>' };
  const deprecation = { ...entity.aspects['businessMetadata']!, name: 'deprecation', value };
  await shown(serving({ ...entity, aspects: { ...entity.aspects, deprecation } }), table('a'));
  expect(document.querySelector('header [role="note"]')?.textContent).toBe('Deprecated Use <b>b</b>');
});

test('a button in the head follows the entity', async () => {
  const followed = new EntityUrns([]);
  await shown(serving(entityOf('a', VALUE)), table('a'), followed);
  expect(button('Follow')?.getAttribute('aria-pressed')).toBe('false');
  button('Follow')?.click();
  await waitUntil(() => button('Follow')?.getAttribute('aria-pressed') === 'true');
  expect(followed.state).toEqual([table('a')]);
});

test('the page of a table has a lineage button', async () => {
  await shown(serving(entityOf('a', VALUE)), table('a'));
  expect(button('Lineage')).toBeDefined();
  expect(document.body.textContent).not.toContain('Column of');
});

test('an unregistered aspect is shown as JSON with a note', async () => {
  const entity = entityOf('a', VALUE);
  const lost = { ...entity.aspects['businessMetadata']!, name: 'editableContract', value: { rows: 4 } };
  const server = serving({ ...entity, type: 'sensor', aspects: { editableContract: lost } });
  await shown(server.on('GET', 'registry/sensor', { status: 404, body: { title: 'Absent', status: 404 } }), table('a'));
  const aspect = document.querySelector('[data-aspect="editableContract"]');
  expect(aspect?.querySelector('pre')?.textContent).toBe(JSON.stringify({ rows: 4 }, null, 2));
  expect(aspect?.querySelector('[role="note"]')?.textContent).toContain('not in the entity registry');
});

test('the heading of a file is the last part of its path, with the path below it', async () => {
  const path = '/home/ada/orders.csv';
  const urn = `urn:li:dataset:(urn:li:dataPlatform:file,${path},PROD)`;
  await shown(serving({ ...entityOf('orders', VALUE), urn, name: path }), urn);
  expect(document.querySelector('h1')?.textContent).toBe('orders.csv');
  expect(document.querySelector('header')?.textContent).toContain(path);
});
