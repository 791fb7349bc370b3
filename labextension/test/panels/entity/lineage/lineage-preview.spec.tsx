import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import type { Lineage } from '../../../../src/generated/api';
import type { EntityPanel } from '../../../../src/panels/entity';
import { createEntityPage } from '../../../support/entity-page';
import { cell, entityOf, FakeServer, lineageOf, PEOPLE, table } from '../../../support/server';
import { waitUntil } from '../../../support/wait-until';

const URN = table('a');

let panel: EntityPanel | null = null;
let opened: string[] = [];
let server: FakeServer;

afterEach(() => {
  panel?.dispose();
  panel = null;
});

async function show(lineage: Lineage, tab = 'overview'): Promise<HTMLElement> {
  opened = [];
  server = new FakeServer()
    .on('GET', `entities/${URN}`, { body: entityOf('a', { properties: {}, tags: [] }) })
    .on('GET', 'registry/dataset', { body: { type: 'dataset', title: 'D', keyAspect: 'k', aspects: [PEOPLE] } })
    .on('GET', 'me', { body: { user: {}, via: null, scopes: ['read'], version: '0' } })
    .on('GET', 'runs', { body: { runs: [], cursor: null } })
    .on('GET', 'lineage', { body: lineage });
  panel = createEntityPage(server, URN, { tab, open: urn => opened.push(urn) });
  Widget.attach(panel, document.body);
  const find = (): HTMLElement | null => document.querySelector('section[aria-label="Lineage"]');
  await waitUntil(() => find() !== null);
  return find()!;
}

function listCards(section: HTMLElement, side: string): (string | null)[] {
  return [...section.querySelectorAll(`ul[aria-label="${side}"] > li`)].map(card => card.textContent);
}

test('the neighbours are two lists of cards with an edge for each', async () => {
  const section = await show(
    lineageOf(URN, [
      [table('raw'), cell('load')],
      [table('other'), cell('load')],
      [cell('load'), URN],
      [URN, cell('sum')],
      [cell('sum'), table('report')]
    ])
  );
  expect(listCards(section, 'Comes from')).toHaveLength(2);
  expect(listCards(section, 'Comes from')[0]).toContain('through');
  expect(listCards(section, 'Used by')).toHaveLength(1);
  expect(section.querySelectorAll('svg.jp-Colophon-lineageEdges g')).toHaveLength(3);
  section.querySelector<HTMLElement>('ul[aria-label="Used by"] button')?.click();
  expect(opened).toEqual([table('report')]);
});

test('further neighbours are one card that counts them', async () => {
  const many = Array.from({ length: 8 }, (_, index): [string, string] => [table(`t${index}`), URN]);
  const cards = listCards(await show(lineageOf(URN, many)), 'Comes from');
  expect(cards).toHaveLength(6);
  expect(cards.at(-1)).toBe('and 3 more');
});

test('without lineage, the section explains what appears in it', async () => {
  const section = await show(lineageOf(URN, []));
  expect(section.textContent).toContain('No run has read or written this data yet.');
  expect(section.querySelector('svg.jp-Colophon-lineageEdges')).toBeNull();
});

test('the tab shows the graph, with the programs as nodes, and the lists', async () => {
  // jsdom has no canvas; painting is tested in the browser.
  HTMLCanvasElement.prototype.getContext = () => null;
  const edges: [string, string][] = [
    [table('raw'), cell('load')],
    [cell('load'), URN]
  ];
  const section = await show(lineageOf(URN, edges), 'lineage');
  await waitUntil(() => section.querySelector('[data-nodes="3"]') !== null);
  expect(listCards(section, 'Comes from')).toHaveLength(1);
  // Without the edges between columns, a table that is expanded would have none.
  expect(server.seen.find(({ path }) => path === 'lineage')?.query.get('columns')).toBe('true');
});
