import { nullTranslator } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';
import { readFileSync } from 'node:fs';
import React from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { Schemaspaces } from '../../../src/api/schemaspaces';
import { FormTools } from '../../../src/forms/context';
import type { PipelineExecution, Run } from '../../../src/generated/api';
import { DraftStorage } from '../../../src/model/editing/drafts';
import { InstanceBody } from '../../../src/panels/instance/body';
import { InstanceModel } from '../../../src/panels/instance/model';
import { hello, pipelineServer } from '../../support/instance-pages';
import type { FakeServer } from '../../support/server';
import { runOf } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const SCHEMA = JSON.parse(readFileSync('schemas/schemaspaces/pipelines/pipeline.json', 'utf8')) as ReadonlyJSONObject;
const PLACE = 'schemaspaces/pipelines/instances/hello';
const RUN = 'urn:li:dataProcessInstance:1';

const TEXT = { title: 'Path', description: '', type: 'string', minLength: 1 };

function plugin(type: string, name: string, title: string, inputs: [number, number | null], property: string): object {
  const schema = { type: 'object', properties: { [property]: { ...TEXT, title: property } }, required: [property] };
  return {
    type,
    name,
    title,
    description: `${title} of data`,
    inputs,
    schema: { ...schema, additionalProperties: false }
  };
}

const PLUGINS = [
  plugin('action', 'notify', 'Notify', [0, 0], 'url'),
  plugin('sink', 'file', 'File', [1, 1], 'path'),
  plugin('source', 'file', 'File', [0, 0], 'path'),
  plugin('transform', 'filter', 'Filter', [1, 1], 'condition')
];

const STAGES = [
  { name: 'out', type: 'sink', plugin: 'file', properties: { path: '/out' } },
  { name: 'people', type: 'source', plugin: 'file', properties: { path: '/people' } }
];
const METADATA = { namespace: 'sales', stages: STAGES, connections: [{ from: 'people', to: 'out' }] };

interface ICheck {
  arguments?: string[];
  columns?: { stage: string; columns: string[] }[];
  problems?: { pointer: string; message: string }[];
}

function checkOf({ arguments: names = [], columns = [], problems = [] }: ICheck): object {
  return { valid: problems.length === 0, order: [], arguments: names, columns, problems };
}

function executionOf(part: Partial<PipelineExecution>): PipelineExecution {
  const times = { started: '2026-11-20T12:00:00.000Z', ended: null };
  const texts = { problem: '', log: '' };
  return {
    id: 'e1',
    kind: 'preview',
    pipeline: 'hello',
    dataset: null,
    run: null,
    status: 'running',
    ...times,
    ...texts,
    stages: [],
    ...part
  };
}

let shown: { page: Widget; model: InstanceModel } | null = null;
let opened: string[] = [];

beforeEach(() => {
  window.localStorage.clear();
  opened = [];
});

afterEach(() => {
  shown?.page.dispose();
  shown?.model.dispose();
  shown = null;
});

function createServer(check: ICheck = {}, metadata: ReadonlyJSONObject = METADATA): FakeServer {
  const saved = hello({ schema_name: 'pipeline', metadata });
  return pipelineServer(SCHEMA, saved)
    .on('GET', 'pipelines/plugins', { body: { plugins: PLUGINS, problems: [] } })
    .on('GET', 'pipelines/schedules', { body: { schedulerEnabled: false, schedules: [] } })
    .on('GET', 'runs', { body: { runs: [], cursor: null } })
    .on('POST', 'pipelines/check', { body: checkOf(check) })
    .on('PUT', PLACE, ({ body }) => ({ body: { ...saved, ...(body as object), version: 3 } }));
}

async function openPipeline(server: FakeServer, name = 'hello'): Promise<void> {
  const sources = {
    spaces: new Schemaspaces(server.settings),
    catalog: new Catalog(server.settings),
    feed: null,
    drafts: new DraftStorage(window.localStorage, 's')
  };
  const model = new InstanceModel(sources, { space: 'pipelines', schema: 'pipeline', name });
  const actions = {
    restore: () => undefined,
    discard: () => model.discard(),
    remove: () => undefined,
    open: (urn: string) => opened.push(urn)
  };
  const body = (
    <FormTools.Provider value={{ editors: null, renderers: null }}>
      <InstanceBody model={model} actions={actions} trans={nullTranslator.load('')} />
    </FormTools.Provider>
  );
  shown = { page: ReactWidget.create(body), model };
  Widget.attach(shown.page, document.body);
  model.show();
  await waitUntil(() => document.querySelector('[role="toolbar"]') !== null && field('Namespace') !== undefined);
  await waitUntil(() => model.state.plugins !== null);
}

function cards(): string[] {
  return [...document.querySelectorAll('[data-index]')].map(card => card.getAttribute('aria-label') ?? '');
}

function find(name: string): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>('button')].find(
    item => item.textContent === name || item.getAttribute('aria-label') === name
  );
}

async function press(name: string): Promise<void> {
  await waitUntil(() => find(name) !== undefined);
  find(name)?.click();
}

function field(label: string): HTMLInputElement | undefined {
  const labelled = [...document.querySelectorAll('label')].find(item => item.textContent?.startsWith(label));
  const named = document.querySelector<HTMLInputElement>(`[aria-label="${label}"]`);
  return (labelled?.control as HTMLInputElement | null | undefined) ?? named ?? undefined;
}

function type(into: Element | undefined, text: string): void {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(into) as object, 'value')?.set?.call(into, text);
  into?.dispatchEvent(new Event(into instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
}

function key(target: Element | null | undefined, name: string): void {
  target?.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
}

async function select(stage: string): Promise<void> {
  document.querySelector<HTMLElement>(`[data-stage="${stage}"] > button`)?.click();
  await waitUntil(() => document.querySelector(`section[aria-label="Stage ${stage}"]`) !== null);
}

/** Opens a tab below the canvas. */
function openTab(id: string): void {
  document.querySelector<HTMLElement>(`[data-tab="${id}"]`)?.click();
}

function draft(): { stages: { name: string; plugin: string; properties: object }[]; connections: object[] } {
  return shown?.model.state.editor?.state.draft['metadata'] as never;
}

test('the canvas shows stages in order of execution with their connections and columns', async () => {
  await openPipeline(createServer({ columns: [{ stage: 'people', columns: ['id', 'name'] }] }));
  expect(cards()).toEqual(['people, Source · File', 'out, Sink · File']);
  expect(document.querySelector('path[data-from="people"]')?.getAttribute('data-to')).toBe('out');
  await waitUntil(() => document.querySelector('[data-stage="people"]')?.textContent?.includes('2 columns') ?? false);
  const rows = [...document.querySelectorAll('table[aria-label="Stages in order"] tbody tr')];
  expect(rows.map(row => row.querySelector('th')?.textContent)).toEqual(['people', 'out']);
  expect(rows[0]?.textContent).toContain('id, name');
  expect(shown?.model.isDirty).toBe(false);
});

test('errors of the server are shown at their stages and fields', async () => {
  const problems = [{ pointer: '/metadata/stages/0/properties/path', message: 'the folder is read-only' }];
  await openPipeline(createServer({ problems }));
  await waitUntil(() => cards().includes('out, Sink · File, 1 error'));
  await select('out');
  await waitUntil(() => field('path')?.getAttribute('aria-describedby') !== undefined);
  await waitUntil(() => document.querySelector('form [role="alert"]')?.textContent === 'the folder is read-only');
  openTab('problems');
  await waitUntil(() => document.querySelector('ul[aria-label="Errors"]') !== null);
  expect(document.querySelector('ul[aria-label="Errors"]')?.textContent).toContain('the folder is read-only');
});

test('a stage is inserted by search and keyboard, and the insertion is undone', async () => {
  await openPipeline(createServer());
  await press('Insert a stage between people and out');
  await waitUntil(() => field('Search plugins') !== undefined);
  const options = (): string[] =>
    [...document.querySelectorAll('[role="option"]')].map(option => option.querySelector('strong')?.textContent ?? '');
  // Only a plugin with input and output can be inserted.
  expect(options()).toEqual(['Filter']);
  type(field('Search plugins'), 'nothing like this');
  await waitUntil(() => options().length === 0);
  type(field('Search plugins'), 'filt');
  await waitUntil(() => options().length === 1);
  key(field('Search plugins'), 'Enter');
  await waitUntil(() => cards().length === 3);
  expect(draft().connections).toEqual([
    { from: 'people', to: 'filter' },
    { from: 'filter', to: 'out' }
  ]);
  await waitUntil(() => document.querySelector('section[aria-label="Stage filter"]') !== null);
  await press('Undo');
  await waitUntil(() => cards().length === 2);
  expect(shown?.model.isDirty).toBe(false);
  await press('Redo');
  await waitUntil(() => cards().length === 3);
});

test('stages are connected, selected and removed without a pointer', async () => {
  const more = { name: 'kept', type: 'transform', plugin: 'filter', properties: { condition: 'a' } };
  await openPipeline(createServer({}, { ...METADATA, stages: [...STAGES, more] }));
  await select('people');
  type(field('Connect to'), 'kept');
  await press('Connect');
  await waitUntil(() => draft().connections.length === 2);
  expect(draft().connections).toContainEqual({ from: 'people', to: 'kept' });
  const card = document.querySelector('[data-stage="people"] > button');
  key(card, 'ArrowRight');
  await waitUntil(() => document.querySelector('section[aria-label="Stage out"]') !== null);
  expect(document.activeElement?.closest('[data-stage]')?.getAttribute('data-stage')).toBe('out');
  key(document.activeElement, 'Delete');
  await waitUntil(() => cards().length === 2);
  expect(draft().connections).toEqual([{ from: 'people', to: 'kept' }]);
});

test('a renamed stage keeps its connections, and its settings are saved', async () => {
  const server = createServer();
  await openPipeline(server);
  await select('people');
  type(field('Name of the stage'), 'staff');
  field('Name of the stage')?.focus();
  field('Name of the stage')?.blur();
  await waitUntil(() => draft().stages[1]?.name === 'staff');
  await waitUntil(() => field('path') !== undefined);
  type(field('path'), '/staff');
  await waitUntil(() => JSON.stringify(draft()).includes('/staff'));
  await press('Save');
  await waitUntil(() => server.count('PUT', PLACE) === 1);
  const { metadata } = server.seen.find(({ method }) => method === 'PUT')?.body as { metadata: object };
  expect(metadata).toEqual({
    namespace: 'sales',
    stages: [STAGES[0], { ...STAGES[1], name: 'staff', properties: { path: '/staff' } }],
    connections: [{ from: 'staff', to: 'out' }]
  });
});

test('a preview of the draft shows columns and rows', async () => {
  const columns = [
    { name: 'id', type: 'bigint' },
    { name: 'tags', type: 'array<string>' }
  ];
  const stages = [{ stage: 'people', columns, rows: [{ id: 1, tags: ['a'] }], error: '' }];
  const server = createServer()
    .on('POST', 'pipelines/previews', { status: 201, body: executionOf({}) })
    .on('GET', 'pipelines/executions/e1', {
      body: executionOf({ status: 'succeeded', ended: '2026-11-20T12:00:01.000Z', stages } as never)
    });
  await openPipeline(server);
  await select('people');
  openTab('output');
  await press('Preview');
  await waitUntil(() => document.querySelector('table[aria-label="Rows of people"]') !== null);
  expect(document.querySelector('table[aria-label="Rows of people"] tbody')?.textContent).toBe('1["a"]');
  expect(document.querySelector('table[aria-label="Columns"]')?.textContent).toContain('array<string>');
  const request = server.seen.find(({ path }) => path === 'pipelines/previews')?.body;
  expect(request).toMatchObject({ name: 'hello', stage: 'people', document: { metadata: METADATA } });
});

test('a failed preview shows the message and the log', async () => {
  const failed = executionOf({
    status: 'failed',
    ended: '2026-11-20T12:00:01.000Z',
    problem: 'no Java',
    log: 'line 1'
  });
  const server = createServer()
    .on('POST', 'pipelines/previews', { status: 201, body: executionOf({}) })
    .on('GET', 'pipelines/executions/e1', { body: failed });
  await openPipeline(server);
  await select('people');
  openTab('output');
  await press('Preview');
  await waitUntil(() => document.body.textContent?.includes('no Java') ?? false);
  expect(document.querySelector('[aria-label="Log"]')?.textContent).toBe('line 1');
});

test('a run shows the progress of its stages on the canvas, and is listed after its end', async () => {
  const facts = {
    'stage.people.at': 0,
    'stage.people.status': 'succeeded',
    'stage.out.at': 1,
    'stage.out.status': 'running'
  };
  const run = { ...runOf('1'), urn: RUN, facts, status: 'running', end: null } as Run;
  let execution = executionOf({ kind: 'run', run: RUN, log: 'out starts' });
  const server = createServer({ arguments: ['sink'] })
    .on('POST', 'pipelines/runs', { status: 201, body: execution })
    .on('GET', 'pipelines/executions/e1', () => ({ body: execution }))
    .on('GET', `runs/${RUN}`, { body: run })
    .on('DELETE', 'pipelines/executions/e1', () => {
      execution = { ...execution, status: 'killed', ended: '2026-11-20T12:00:09.000Z' };
      return { body: execution };
    });
  await openPipeline(server);
  openTab('run');
  await waitUntil(() => field('sink') !== undefined);
  type(field('sink'), '/data/x');
  await press('Run now');
  await waitUntil(() => cards().includes('out, Sink · File, running'));
  expect(cards()).toContain('people, Source · File, succeeded');
  expect(server.seen.find(({ path }) => path === 'pipelines/runs')?.body).toEqual({
    name: 'hello',
    arguments: { sink: '/data/x' }
  });
  expect(document.querySelector('[aria-label="Log"]')?.textContent).toBe('out starts');
  server.on('GET', 'runs', { body: { runs: [{ ...run, status: 'killed' }], cursor: null } });
  await press('Stop the run');
  await waitUntil(() => document.querySelector('[data-tab="runs"]')?.textContent === 'Last runs1');
  openTab('runs');
  await press('Open run');
  expect(opened).toEqual([RUN]);
  const { query } = server.seen.filter(({ path }) => path === 'runs').at(-1)!;
  expect(query.get('program')).toBe('urn:li:dataJob:(urn:li:dataFlow:(colophon,hello,sales),workflows.hello)');
});

test('a run that has succeeded cannot be stopped while Spark stops', async () => {
  const execution = executionOf({ kind: 'run', run: RUN });
  const server = createServer()
    .on('POST', 'pipelines/runs', { status: 201, body: execution })
    .on('GET', 'pipelines/executions/e1', { body: execution })
    .on('GET', `runs/${RUN}`, { body: { ...runOf('1'), urn: RUN, status: 'succeeded' } });
  await openPipeline(server);
  openTab('run');
  await press('Run now');
  await waitUntil(() => document.body.textContent?.includes('Spark stops …') ?? false);
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('.jp-Colophon-run-view button')];
  expect(buttons.find(({ textContent }) => textContent === 'Stop the run')).toBeUndefined();
  expect(buttons.find(({ textContent }) => textContent === 'Run now')?.disabled).toBe(true);
});

test('a schedule is created and disabled', async () => {
  const schedule = {
    ...{ name: 'nightly', pipeline: 'hello', namespace: 'sales', every: '', cron: '0 5 * * *', onChange: false },
    ...{ enabled: true, nextRun: null, started: null, ended: null, run: '', status: '', attempts: 0, problem: '' }
  };
  const server = createServer()
    .on('POST', 'schemaspaces/pipelines/instances', { status: 201, body: hello() })
    .on('PATCH', 'schemaspaces/pipelines/instances/nightly', { body: hello() });
  await openPipeline(server);
  openTab('schedules');
  await waitUntil(() => document.body.textContent?.includes('max_scheduled_runs') ?? false);
  const group = document.querySelector('[aria-label="New schedule"]');
  const [name, time] = [...(group?.querySelectorAll('input') ?? [])];
  type(name, 'Nightly');
  type(time, '0 5 * * *');
  server.on('GET', 'pipelines/schedules', {
    body: { schedulerEnabled: true, schedules: [schedule, { ...schedule, name: 'other', pipeline: 'other' }] }
  });
  await press('Create');
  await waitUntil(() => document.querySelector('table[aria-label="Schedules"]') !== null);
  expect(document.querySelectorAll('table[aria-label="Schedules"] tbody tr').length).toBe(1);
  const created = server.seen.find(({ method, path }) => method === 'POST' && path.endsWith('instances'))?.body;
  expect(created).toMatchObject({
    display_name: 'Nightly',
    schema_name: 'schedule',
    metadata: { namespace: 'sales', pipeline: 'hello', cron: '0 5 * * *' }
  });
  document.querySelector<HTMLElement>('[aria-label="Enable nightly"]')?.click();
  await waitUntil(() => server.seen.some(({ method }) => method === 'PATCH'));
  expect(server.seen.find(({ method }) => method === 'PATCH')?.body).toEqual({ metadata: { enabled: false } });
});

test('the package for spark-submit is downloaded, and its command is shown', async () => {
  const [create, revoke] = [vi.fn((blob: Blob) => `blob:${blob.size}`), vi.fn()];
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: create, revokeObjectURL: revoke }));
  const server = createServer().on('POST', 'pipelines/package', {
    body: { file: 'hello.zip', content: btoa('PK'), command: 'spark-submit main.py' }
  });
  await openPipeline(server);
  await press('Export for spark-submit');
  await waitUntil(() => document.querySelector('[aria-label="Command"]')?.textContent === 'spark-submit main.py');
  expect(create.mock.calls[0]?.[0].size).toBe(2);
  vi.unstubAllGlobals();
});

test('a user without the right to change pipelines can only look', async () => {
  const server = createServer().on('GET', 'me', { body: { user: 'ada', scopes: ['read'] } });
  await openPipeline(server);
  await select('people');
  expect([find('Add a stage'), find('Undo'), find('Connect'), find('Remove the stage')]).toEqual(
    Array(4).fill(undefined)
  );
  key(document.querySelector('[data-stage="people"] > button'), 'Delete');
  expect(cards().length).toBe(2);
});

test('the form edits the same draft', async () => {
  await openPipeline(createServer());
  await press('Form');
  await waitUntil(() => [...document.querySelectorAll('legend')].some(item => item.textContent === 'Stages 1'));
  type(field('Description'), 'All people');
  await waitUntil(() => shown?.model.isDirty === true);
  await press('Canvas');
  await waitUntil(() => field('Description')?.value === 'All people');
  await press('Undo');
  await waitUntil(() => shown?.model.isDirty === false);
});
