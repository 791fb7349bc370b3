import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { RunAccesses } from '../../../src/generated/api';
import { RunPanel } from '../../../src/panels/run';
import { RunModel } from '../../../src/panels/run/model';
import { SpokenFeed } from '../../support/feed';
import { FakeServer, problem, runOf, table } from '../../support/server';
import { until } from '../../support/waiting';

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

function shown(server: FakeServer, feed: SpokenFeed | null = null): void {
  opened = [];
  const model = new RunModel(new Catalog(server.settings), feed?.feed ?? null, RUN.urn);
  panel = new RunPanel(model, urn => opened.push(urn), nullTranslator.load(''));
  Widget.attach(panel, document.body);
}

function serving(run = RUN): FakeServer {
  return new FakeServer()
    .on('GET', `runs/${RUN.urn}`, { body: run })
    .on('GET', `runs/${RUN.urn}/accesses`, { body: { accesses: TOUCHED } });
}

async function there(text: string): Promise<void> {
  await until(() => document.body.textContent?.includes(text) === true);
}

test('the page of a run shows what was said then, its arguments and its facts, and nothing as HTML', async () => {
  shown(serving({ ...RUN, arguments: { input: '/in' }, facts: { ...RUN.facts, source: 'x = 1' } }));
  await there('<b>then</b>');
  expect(document.querySelector('b')).toBeNull();
  const headings = [...document.querySelectorAll('h3')].map(one => one.textContent);
  expect(headings).toEqual(['program flights.ipynb#r1', 'read a', 'wrote b']);
  expect(document.querySelector('pre')?.textContent).toBe('x = 1');
  await there('/in');
  await there('deleted since');
  await there('csv');
});

test('what the capture could not see stands above what it saw', async () => {
  shown(serving({ ...RUN, facts: { ...RUN.facts, missingLineage: 'data <i>without</i> a name' } }));
  await there('Not seen: data <i>without</i> a name');
  expect(document.querySelector('i')).toBeNull();
});

test('a run of a pipeline shows its stages in the order of their work, and its log', async () => {
  const facts = {
    log: '12:00 masked <b>hides</b> who',
    'stage.sums.at': 1,
    'stage.sums.status': 'failed',
    'stage.sums.in': 12_000,
    'stage.sums.ms': 1500,
    'stage.sums.tries': 3,
    'stage.a.b.at': 0,
    'stage.a.b.status': 'succeeded',
    'stage.a.b.rows': 12_000,
    'stage.a.b.ms': 20,
    'stage.told.at': 2,
    'stage.told.status': 'waiting',
    'stage.told.ms': 0,
    'stage.told.colour': 'red'
  };
  shown(serving({ ...RUN, facts }));
  await there('masked <b>hides</b> who');
  const rows = [...document.querySelectorAll('tr')].map(row => [...row.children].map(cell => cell.textContent));
  expect(rows.slice(0, 4)).toEqual([
    ['Stage', 'Became', 'Rows in', 'Rows out', 'Time', 'Tries'],
    ['a.b', 'succeeded', '', (12_000).toLocaleString(), '20 ms', ''],
    ['sums', 'failed', (12_000).toLocaleString(), '', '1.5 s', '3'],
    ['told', 'not begun', '', '', '', '']
  ]);
  // What has no place in the table stays among the facts.
  await there('stage.told.colour');
  expect(document.body.textContent).not.toContain('stage.told.ms');
});

test('whatever it names is opened by a button, so by the keyboard too', async () => {
  shown(serving({ ...RUN, parent: 'urn:li:dataProcessInstance:session' }));
  await there('<b>then</b>');
  for (const button of document.querySelectorAll<HTMLButtonElement>('button.jp-Colophon-link')) {
    button.click();
  }
  expect(opened).toEqual(['urn:li:dataProcessInstance:session', RUN.program, table('a'), table('b')]);
});

test('the run that it is a part of is called by its name, and by its URN where one may not read it', async () => {
  const parent = { ...runOf('whole'), facts: {}, name: 'nightly' };
  const server = serving({ ...RUN, parent: parent.urn }).on('GET', `runs/${parent.urn}`, { body: parent });
  shown(server);
  await there('Part of nightly');
  await panel?.model.refresh();
  expect(server.count('GET', `runs/${parent.urn}`)).toBe(1);
  panel?.dispose();
  shown(serving({ ...RUN, parent: parent.urn }));
  await there('Part of whole');
});

test('a run that is not there says so, and can be asked for again', async () => {
  const server = new FakeServer()
    .on('GET', `runs/${RUN.urn}`, problem(404, 'there is no run'))
    .on('GET', `runs/${RUN.urn}/accesses`, problem(404, 'there is no run'));
  shown(server);
  await there('there is no run');
  expect(document.querySelector('h1')).toBeNull();
});

test('the page follows its run', async () => {
  const feed = new SpokenFeed();
  const server = serving({ ...RUN, status: 'running', end: null });
  shown(server, feed);
  await there('running');
  server.on('GET', `runs/${RUN.urn}`, { body: { ...RUN, status: 'failed' } });
  feed.tell('a', { run: RUN.urn });
  await there('failed');
});

test('the stages of a run that goes on are followed until it ends, and one whose process died says so', async () => {
  const facts = { 'stage.staff.at': 0, 'stage.staff.status': 'running' };
  const server = serving({ ...RUN, status: 'running', end: null, facts });
  shown(server);
  await there('staff');
  expect(document.querySelector('[data-stage]')?.textContent).toBe('staffrunning');
  server.on('GET', `runs/${RUN.urn}`, { body: { ...RUN, status: 'killed', facts } });
  await until(() => document.querySelector('[data-stage]')?.textContent === 'staffstopped');
});
