import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import type { Entity } from '../../../src/generated/api';
import type { EntityPanel } from '../../../src/panels/entity';
import { createEntityPage } from '../../support/entity-page';
import { column, entityOf, FakeServer, PEOPLE, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const VALUE = { properties: {}, tags: ['faa'] };

let panel: EntityPanel | null = null;
let opened: string[] = [];

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

async function shown(server: FakeServer, urn: string): Promise<void> {
  opened = [];
  panel = createEntityPage(server, urn, { open: other => opened.push(other) });
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
