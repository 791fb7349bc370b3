import { Widget } from '@lumino/widgets';
import { act } from 'react';
import { afterEach, expect, test } from 'vitest';
import type { Entity, EntityType } from '../../../../src/generated/api';
import type { EntityPanel } from '../../../../src/panels/entity';
import { createEntityPage } from '../../../support/entity-page';
import { entityOf, FakeServer, PEOPLE, table } from '../../../support/server';
import { waitUntil } from '../../../support/wait-until';

const FLIGHTS = table('flights');
const SPEC: EntityType['aspects'][number] = {
  ...PEOPLE,
  name: 'certification',
  title: 'Certification',
  editableByDefault: false,
  uihints: {},
  described: ['certifiedBy', 'note', 'until'],
  schema: { type: 'object' }
};
let panel: EntityPanel | null = null;

afterEach(() => {
  panel?.dispose();
  panel = null;
});

function certify(until: string): Entity {
  const descriptor = { kind: 'certification', key: 'certified', aspect: 'certification', scope: 'USER' } as const;
  const who = { name: 'Ada', urn: 'urn:li:corpuser:ada', source: FLIGHTS, column: null };
  const entity = entityOf('flights', { properties: {}, tags: [] });
  return { ...entity, descriptors: [{ ...descriptor, ...who, text: until, detail: 'Compared.' }] };
}

async function show(server: FakeServer, entity: Entity): Promise<HTMLElement> {
  const teams = [{ owner: 'urn:li:corpGroup:data', name: 'Data team' }];
  server
    .on('GET', 'me', {
      body: { user: { username: 'ada', name: 'Ada' }, scopes: ['read', 'annotate', 'emit', 'admin'] }
    })
    .on('GET', 'me/teams', { body: { user: 'urn:li:corpuser:ada', isSteward: false, teams } })
    .on('GET', `entities/${FLIGHTS}`, { body: entity })
    .on('GET', 'registry/dataset', {
      body: { type: 'dataset', title: 'Dataset', keyAspect: 'datasetKey', aspects: [PEOPLE, SPEC] }
    })
    .on('GET', 'requests', { body: { requests: [], total: 0, cursor: null, mayGrant: false } });
  panel = createEntityPage(server, FLIGHTS);
  Widget.attach(panel, document.body);
  await waitUntil(() => panel!.node.querySelector('.jp-Colophon-actions') !== null);
  return panel.node;
}

async function click(node: HTMLElement, selector: string, text: string): Promise<void> {
  const find = (): HTMLElement | undefined =>
    [...node.querySelectorAll<HTMLElement>(selector)].find(item => item.textContent?.includes(text) === true);
  await waitUntil(() => find() !== undefined);
  act(() => find()!.click());
}

test('the head shows who certified the table, and until when', async () => {
  const node = await show(new FakeServer(), certify('2099-12-31'));
  await waitUntil(() => node.querySelector('.jp-Colophon-certification') !== null);
  const badge = node.querySelector<HTMLElement>('.jp-Colophon-certification')!;
  expect(badge.textContent).toMatch(/^Certified by Ada until .*2099.* Compared\.$/);
  expect(badge.dataset['expired']).toBe('false');
});

test('an expired certification does not count as one', async () => {
  const node = await show(new FakeServer(), certify('2020-01-31'));
  await waitUntil(() => node.querySelector('.jp-Colophon-certification') !== null);
  const badge = node.querySelector<HTMLElement>('.jp-Colophon-certification')!;
  expect(badge.textContent).toMatch(/^Certification expired by Ada on .*2020/);
  expect(badge.dataset['expired']).toBe('true');
});

test('the form certifies in the name of the user until a day', async () => {
  const written: unknown[] = [];
  const server = new FakeServer().on('PUT', `entities/${FLIGHTS}/aspects/certification`, ({ body }) => {
    written.push(body);
    return { body: { urn: FLIGHTS, aspect: 'certification', version: 1, seq: 1, changed: true } };
  });
  const node = await show(server, entityOf('flights', { properties: {}, tags: [] }));
  act(() => node.querySelector<HTMLElement>('[aria-label="More actions"]')!.click());
  await click(node, '[role="menuitem"]', 'Certify…');
  await waitUntil(() => node.querySelectorAll('form option').length === 2);
  expect([...node.querySelectorAll('form option')].map(option => option.textContent)).toEqual(['Me', 'Data team']);
  act(() => node.querySelector<HTMLFormElement>('form')!.requestSubmit());
  await waitUntil(() => written.length > 0);
  const { certifiedBy, until } = written[0] as { certifiedBy: string; until: string };
  expect(certifiedBy).toBe('urn:li:corpuser:ada');
  expect(Date.parse(until)).toBeGreaterThan(Date.now());
});
