import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { RunAccesses } from '../../../src/generated/api';
import { RunPanel } from '../../../src/panels/run';
import { RunModel } from '../../../src/panels/run/model';
import { FakeFeed } from '../../support/feed';
import { FakeServer, problem, runOf, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const RUN = runOf('r1');
const NOTHING = { properties: {}, tags: [] };
const TIME = '2026-11-20T12:00:00.000Z';

function touched(more: Partial<RunAccesses['accesses'][number]>): RunAccesses['accesses'][number] {
  const of = {
    urn: table('a'),
    role: 'data',
    type: 'dataset',
    namespace: 'flights',
    name: 'a',
    deleted: false
  } as const;
  return { ...of, mode: 'read', component: '', first: TIME, last: TIME, user: NOTHING, system: null, ...more };
}

const TOUCHED = [
  touched({ urn: RUN.program, role: 'program', type: 'dataJob', name: 'flights.ipynb#r1', mode: null }),
  touched({ user: { properties: { owner: '<b>then</b>' }, tags: ['raw'] }, deleted: true }),
  touched({ urn: table('b'), name: 'b', mode: 'write', system: { properties: { format: 'csv' }, tags: [] } })
];

let panel: RunPanel | null = null;
let opened: string[] = [];

afterEach(() => {
  panel?.dispose();
  panel = null;
});

function shown(server: FakeServer, feed: FakeFeed | null = null): void {
  opened = [];
  const model = new RunModel(new Catalog(server.settings), feed?.feed ?? null, RUN.urn);
  panel = new RunPanel(
    model,
    { open: urn => opened.push(urn), openCell: place => opened.push(`cell of ${place.run}`) },
    nullTranslator.load('')
  );
  Widget.attach(panel, document.body);
}

function serving(run = RUN): FakeServer {
  return new FakeServer()
    .on('GET', `runs/${RUN.urn}`, { body: run })
    .on('GET', `runs/${RUN.urn}/accesses`, { body: { accesses: TOUCHED } });
}

async function waitForText(text: string): Promise<void> {
  await waitUntil(() => document.body.textContent?.includes(text) === true);
}

test('the page of a run shows metadata, arguments and facts as text', async () => {
  shown(serving({ ...RUN, arguments: { input: '/in' }, facts: { ...RUN.facts, source: 'x = 1' } }));
  await waitForText('<b>then</b>');
  expect(document.querySelector('b')).toBeNull();
  const headings = [...document.querySelectorAll('h3')].map(item => item.textContent);
  expect(headings).toEqual(['program flights.ipynb#r1', 'read a', 'wrote b']);
  expect(document.querySelector('pre')?.textContent).toBe('x = 1');
  await waitForText('/in');
  await waitForText('since deleted');
  await waitForText('csv');
});

test('missing lineage is shown above the accesses', async () => {
  shown(serving({ ...RUN, facts: { ...RUN.facts, missingLineage: 'data <i>without</i> a name' } }));
  await waitForText('Not captured: data <i>without</i> a name');
  expect(document.querySelector('i')).toBeNull();
});

test('a pipeline run shows its ordered stages and its log', async () => {
  const facts = {
    log: '12:00 masked <b>hides</b> who',
    'stage.sums.at': 1,
    'stage.sums.status': 'failed',
    'stage.sums.in': 12_000,
    'stage.sums.rejected': 7,
    'stage.sums.ms': 1500,
    'stage.sums.tries': 3,
    'stage.a.b.at': 0,
    'stage.a.b.status': 'succeeded',
    'stage.a.b.rows': 12_000,
    'stage.a.b.ms': 20,
    'stage.idle.at': 2,
    'stage.idle.status': 'waiting',
    'stage.idle.ms': 0,
    'stage.idle.colour': 'red'
  };
  shown(serving({ ...RUN, facts }));
  await waitForText('masked <b>hides</b> who');
  const rows = [...document.querySelectorAll('tr')].map(row => [...row.children].map(cell => cell.textContent));
  expect(rows.slice(0, 4)).toEqual([
    ['Stage', 'Status', 'Rows in', 'Rows out', 'Rejected rows', 'Time', 'Attempts'],
    ['a.b', 'succeeded', '', (12_000).toLocaleString(), '', '20 ms', ''],
    ['sums', 'failed', (12_000).toLocaleString(), '', '7', '1.5 s', '3'],
    ['idle', 'not started', '', '', '', '', '']
  ]);
  // Facts that are not in the table are listed among the facts.
  await waitForText('stage.idle.colour');
  expect(document.body.textContent).not.toContain('stage.idle.ms');
});

test('all entities of a run are buttons', async () => {
  shown(serving({ ...RUN, parent: 'urn:li:dataProcessInstance:session' }));
  await waitForText('<b>then</b>');
  for (const button of document.querySelectorAll<HTMLButtonElement>('button.jp-Colophon-link')) {
    button.click();
  }
  expect(opened).toEqual(['urn:li:dataProcessInstance:session', RUN.program, table('a'), table('b')]);
});

test('the parent run is shown by name or URN', async () => {
  const parent = { ...runOf('whole'), facts: {}, name: 'nightly' };
  const server = serving({ ...RUN, parent: parent.urn }).on('GET', `runs/${parent.urn}`, { body: parent });
  shown(server);
  await waitForText('Part of nightly');
  await panel?.model.refresh();
  expect(server.count('GET', `runs/${parent.urn}`)).toBe(1);
  panel?.dispose();
  shown(serving({ ...RUN, parent: parent.urn }));
  await waitForText('Part of whole');
});

test('a missing run is reported and can be retried', async () => {
  const server = new FakeServer()
    .on('GET', `runs/${RUN.urn}`, problem(404, 'there is no run'))
    .on('GET', `runs/${RUN.urn}/accesses`, problem(404, 'there is no run'));
  shown(server);
  await waitForText('there is no run');
  expect(document.querySelector('h1')).toBeNull();
});

test('the page follows changes of its run', async () => {
  const feed = new FakeFeed();
  const server = serving({ ...RUN, status: 'running', end: null });
  shown(server, feed);
  await waitForText('running');
  server.on('GET', `runs/${RUN.urn}`, { body: { ...RUN, status: 'failed' } });
  feed.emit('a', { run: RUN.urn });
  await waitForText('failed');
});

test('stages are followed until the run ends', async () => {
  const facts = { 'stage.staff.at': 0, 'stage.staff.status': 'running' };
  const server = serving({ ...RUN, status: 'running', end: null, facts });
  shown(server);
  await waitForText('staff');
  expect(document.querySelector('[data-stage]')?.textContent).toBe('staffrunning');
  server.on('GET', `runs/${RUN.urn}`, { body: { ...RUN, status: 'killed', facts } });
  await waitUntil(() => document.querySelector('[data-stage]')?.textContent === 'staffstopped');
});

test('the run of a cell links to the cell', async () => {
  shown(serving());
  await waitUntil(() => panel?.node.textContent.includes('Open cell') === true);
  const buttons = [...(panel?.node.querySelectorAll('button') ?? [])];
  buttons.find(({ textContent }) => textContent === 'Open cell')?.click();
  expect(opened).toEqual([`cell of ${RUN.urn}`]);
});
