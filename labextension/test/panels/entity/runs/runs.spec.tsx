import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import type { EntityPanel } from '../../../../src/panels/entity';
import { createEntityPage } from '../../../support/entity-page';
import { cell, entityOf, FakeServer, PEOPLE, runOf, table } from '../../../support/server';
import { waitUntil } from '../../../support/wait-until';

const TIME = '2026-11-20T12:00:00.000Z';
const URN = table('a');

let panel: EntityPanel | null = null;

afterEach(() => {
  panel?.dispose();
  panel = null;
});

function accessOf(name: string, mode: 'read' | 'write', owner: string): object {
  const of = { urn: table(name), role: 'data', type: 'dataset', namespace: 'flights', name, deleted: false };
  return {
    ...of,
    mode,
    component: '',
    first: TIME,
    last: TIME,
    user: { properties: { owner }, tags: [] },
    system: null
  };
}

function serving(): FakeServer {
  const runs = [
    {
      ...runOf('r2'),
      program: cell('p'),
      start: '2026-11-20T13:00:00.000Z',
      end: '2026-11-20T13:10:00.000Z',
      status: 'failed'
    },
    { ...runOf('r1'), program: cell('p') }
  ];
  const server = new FakeServer()
    .on('GET', `entities/${URN}`, { body: entityOf('a', { properties: {}, tags: [] }) })
    .on('GET', 'registry/dataset', { body: { type: 'dataset', title: 'D', keyAspect: 'k', aspects: [PEOPLE] } })
    .on('GET', 'me', { body: { user: {}, via: null, scopes: ['read'], version: '0' } })
    .on('GET', 'runs', { body: { runs, cursor: null } });
  for (const run of runs) {
    const accesses = [accessOf(`from-${run.runId}`, 'read', 'then'), accessOf('a', 'write', 'ops')];
    server.on('GET', `runs/${run.urn}`, { body: run });
    server.on('GET', `runs/${run.urn}/accesses`, { body: { accesses, truncated: false } });
  }
  return server;
}

function listBars(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('.jp-Colophon-runTrack button')];
}

test('runs are bars by time; the selected one shows its inputs and outputs with their metadata at that time', async () => {
  const opened: string[] = [];
  panel = createEntityPage(serving(), URN, { tab: 'runs', open: urn => opened.push(urn) });
  Widget.attach(panel, document.body);
  const details = (): string => document.querySelector('[aria-label="Selected run"]')?.textContent ?? '';
  await waitUntil(() => details().includes('from-r2'));
  expect(listBars().map(bar => [bar.dataset['status'], bar.getAttribute('aria-pressed'), bar.tabIndex])).toEqual([
    ['succeeded', 'false', -1],
    ['failed', 'true', 0]
  ]);
  expect(listBars()[1]?.getAttribute('aria-label')).toContain('failed');
  listBars()[1]?.focus();
  document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }));
  await waitUntil(() => details().includes('from-r1'));
  expect(document.activeElement).toBe(listBars()[0]);
  expect(document.querySelector('[aria-label="Inputs"]')?.textContent).toContain('then');
  expect(document.querySelector('[aria-label="Outputs"]')?.textContent).toContain('ops');
  [...document.querySelectorAll('button')].find(button => button.textContent === 'from-r1')?.click();
  expect(opened).toEqual([table('from-r1')]);
});

test('the list shows the same runs, and an interval is chosen by its bounds', async () => {
  const server = serving();
  panel = createEntityPage(server, URN, { tab: 'runs' });
  Widget.attach(panel, document.body);
  await waitUntil(() => listBars().length === 2);
  [...document.querySelectorAll('button')].find(button => button.textContent === 'List')?.click();
  await waitUntil(() => document.querySelectorAll('.jp-Colophon-runs > li').length === 2);
  await panel.model.setInterval({ kind: 'custom', from: '2026-11-20T00:00', to: '2026-11-21T00:00' });
  const { query } = server.seen.filter(({ path }) => path === 'runs').at(-1) ?? {};
  expect(query?.get('start')).toBe(new Date('2026-11-20T00:00').toISOString());
  expect(query?.get('end')).toBe(new Date('2026-11-21T00:00').toISOString());
  expect(document.querySelectorAll('input[type="datetime-local"]')).toHaveLength(2);
});
