import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { Change } from '../../../src/generated/api';
import { ActivityPanel } from '../../../src/panels/activity';
import { ActivityModel } from '../../../src/panels/activity/model';
import { FakeFeed } from '../../support/feed';
import { FakeServer, cell, column, problem, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

let panel: ActivityPanel | null = null;
let opened: string[] = [];

afterEach(() => {
  panel?.dispose();
  panel = null;
});

function change(seq: number, part: Partial<Change> = {}): Change {
  const name = `t${seq}`;
  const fixed = { namespace: 'flights', version: 1, via: null, run: null, previous: null, value: null, summary: '' };
  const described = { aspect: 'businessMetadata', operation: 'update', scope: 'USER', actor: 'bob' } as const;
  return {
    seq,
    time: '2026-11-20T12:00:00.000Z',
    urn: table(name),
    type: 'dataset',
    name,
    ...fixed,
    ...described,
    ...part
  };
}

/** A server with a change log whose last number is `head`. */
function serving(head: number, part: (seq: number) => Partial<Change> = () => ({})): FakeServer {
  return new FakeServer().on('GET', 'changes', ({ query }) => {
    const after = Number(query.get('after') ?? 0);
    const limit = Number(query.get('limit'));
    const changes = Array.from({ length: Math.min(limit, head - after) }, (_, index) => {
      const seq = after + index + 1;
      return change(seq, part(seq));
    });
    return { body: { cursor: limit === 0 ? head : after + changes.length, changes } };
  });
}

function show(server: FakeServer, feed: FakeFeed | null = null): void {
  opened = [];
  const model = new ActivityModel(new Catalog(server.settings), feed?.feed ?? null);
  panel = new ActivityPanel(model, null, urn => opened.push(urn), nullTranslator.load(''));
  Widget.attach(panel, document.body);
}

function listNames(): (string | null)[] {
  return [...document.querySelectorAll('.jp-Colophon-activityHead .jp-Colophon-link')].map(item => item.textContent);
}

test('the latest changes are listed with their differences as text', async () => {
  const edit = { previous: { properties: { owner: 'ops' } }, value: { properties: { owner: '<b>sales</b>' } } };
  show(serving(2, seq => (seq === 2 ? edit : { aspect: null, operation: 'create' })));
  await waitUntil(() => listNames().length === 2);
  expect(listNames()).toEqual(['t2', 't1']);
  const [first, second] = [...document.querySelectorAll('.jp-Colophon-activity')].map(item => item.textContent);
  expect(first).toContain('owner ops → <b>sales</b>');
  expect(second).toContain('Created');
  document.querySelector<HTMLElement>('.jp-Colophon-activityHead .jp-Colophon-link')?.click();
  expect(opened).toEqual([table('t2')]);
});

test('earlier changes are loaded on demand until the beginning of the change log', async () => {
  show(serving(450));
  const count = (): number => document.querySelectorAll('.jp-Colophon-activity').length;
  const more = (): HTMLButtonElement | undefined =>
    [...document.querySelectorAll('button')].find(button => button.textContent === 'Show earlier changes');
  await waitUntil(() => count() === 200);
  more()?.click();
  await waitUntil(() => count() === 400);
  more()?.click();
  await waitUntil(() => count() === 450);
  expect(listNames().at(-1)).toBe('t1');
  expect(more()).toBeUndefined();
});

test('a change that arrives is first in the list and highlighted', async () => {
  const feed = new FakeFeed();
  show(
    serving(1, () => ({ seq: 0 })),
    feed
  );
  await waitUntil(() => listNames().length === 1);
  feed.emit('fresh');
  feed.emit('fresher');
  await waitUntil(() => listNames().length === 3);
  expect(listNames()).toEqual(['fresher', 'fresh', 't1']);
  expect([...document.querySelectorAll('.jp-mod-changed')].map(item => item.getAttribute('data-urn'))).toContain(
    table('fresher')
  );
});

test('a failure is shown, and an empty list explains what appears in it', async () => {
  const server = new FakeServer().on('GET', 'changes', problem(503, 'the store is unavailable'));
  show(server);
  await waitUntil(() => document.body.textContent?.includes('the store is unavailable') === true);
  server.on('GET', 'changes', { body: { cursor: 0, changes: [] } });
  [...document.querySelectorAll('button')].find(button => button.textContent === 'Try again')?.click();
  await waitUntil(() => document.body.textContent?.includes('No changes yet.') === true);
});

function findButton(name: string): HTMLButtonElement | undefined {
  return [...document.querySelectorAll('button')].find(button => button.textContent === name);
}

/** Chooses an option of the filter for the time. */
function choosePeriod(period: string): void {
  const select = document.querySelector<HTMLSelectElement>('select[aria-label="Time"]')!;
  select.value = period;
  select.dispatchEvent(new Event('change', { bubbles: true }));
}

test('what one transaction created is one row, and what a person changed in it has its own', async () => {
  const part = (seq: number): Partial<Change> =>
    seq === 13
      ? { urn: table('daily'), name: 'daily', value: { properties: { owner: 'ops' } } }
      : { urn: column('daily', `c${seq}`), type: 'schemaField', aspect: null, operation: 'create', name: `c${seq}` };
  show(serving(13, part));
  await waitUntil(() => document.querySelectorAll('.jp-Colophon-activity').length === 2);
  const [edit, created] = [...document.querySelectorAll('.jp-Colophon-activity')];
  expect(edit?.textContent).toContain('owner ops');
  expect(created?.querySelector('b')?.textContent).toBe('Created 12 columns of flights.daily');
  expect(created?.querySelectorAll('[title^="urn:"]').length).toBe(3);
  findButton('and 9 more')?.click();
  await waitUntil(() => created?.querySelectorAll('[title^="urn:"]').length === 12);
  expect(findButton('show fewer')?.getAttribute('aria-expanded')).toBe('true');
});

test('a run is shown by the title of its program, with what it wrote and what people changed in it', async () => {
  const run = 'urn:li:dataProcessInstance:r1';
  const program = { urn: cell('a1'), type: 'dataJob', name: 'flights.ipynb#a1', aspect: null };
  const part = (seq: number): Partial<Change> =>
    seq < 4
      ? { run, aspect: null, operation: 'access', value: { mode: 'write' } }
      : seq === 4
        ? { run, value: { properties: { owner: 'ops' } } }
        : { run, ...program, operation: 'run-end', value: { status: 'succeeded' } };
  const names = { body: { displayNames: { [cell('a1')]: 'Clean' } } };
  show(serving(5, part).on('POST', 'entities/display-names', names));
  await waitUntil(() => listNames()[0] === 'Clean');
  const row = document.querySelector('.jp-Colophon-activity');
  expect(row?.querySelector('.jp-Colophon-activityHead')?.textContent).toContain('flights.ipynb');
  expect(row?.textContent).toContain('Wrote 3: t3, t2, t1');
  expect(row?.textContent).toContain('owner ops');
});

test('changes can be filtered by their time', async () => {
  const day = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
  show(serving(250, seq => ({ time: day(seq === 250 ? 0 : seq === 249 ? 3 : seq === 248 ? 20 : 100) })));
  await waitUntil(() => listNames().length === 200);
  for (const [period, names] of [
    ['today', ['t250']],
    ['week', ['t250', 't249']],
    ['month', ['t250', 't249', 't248']]
  ] as const) {
    choosePeriod(period);
    await waitUntil(() => listNames().length === names.length);
    expect(listNames()).toEqual(names);
    expect(findButton('Show earlier changes')).toBeUndefined();
  }
  choosePeriod('since');
  await waitUntil(() => document.querySelector('input[type="date"]') !== null && listNames().length === 200);
  const date = document.querySelector<HTMLInputElement>('input[type="date"]')!;
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(date, day(10).slice(0, 10));
  date.dispatchEvent(new Event('input', { bubbles: true }));
  await waitUntil(() => listNames().length === 2);
});
