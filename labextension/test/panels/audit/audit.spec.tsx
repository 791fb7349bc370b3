import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { AuditEntry } from '../../../src/generated/api';
import { AuditModel, AuditPanel } from '../../../src/panels/audit';
import { formatAuditCsv } from '../../../src/panels/audit/model';
import { clickButton, findButton } from '../../support/buttons';
import { fillField } from '../../support/fields';
import type { IAnswer, IRequest } from '../../support/server';
import { cell, FakeServer, problem, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const RUN = 'urn:li:dataProcessInstance:r1';
const LINES = 'application/x-ndjson';

let panel: AuditPanel | null = null;
const done: string[] = [];
const files: Blob[] = [];

afterEach(() => {
  panel?.dispose();
  panel = null;
  done.length = files.length = 0;
});

function entry(seq: number, part: Partial<AuditEntry> = {}): AuditEntry {
  return {
    seq,
    time: '2026-11-26T18:00:00.000Z',
    user: 'ada',
    via: null,
    token: null,
    program: null,
    run: null,
    action: 'read',
    outcome: 'allowed',
    urn: table('orders'),
    detail: '',
    sensitive: true,
    count: 1,
    ...part
  };
}

function open(server: FakeServer): AuditModel {
  const model = new AuditModel(new Catalog(server.settings));
  const actions = {
    openEntity: (urn: string) => void done.push(`open ${urn}`),
    pickEntity: () => Promise.resolve(table('flights')),
    download: (name: string, content: Blob) => {
      done.push(name);
      files.push(content);
    }
  };
  panel = new AuditPanel(model, actions, nullTranslator.load(''));
  Widget.attach(panel, document.body);
  return model;
}

function page(entries: AuditEntry[], cursor: string | null = null): IAnswer {
  return { body: { entries, cursor } };
}

/** Returns the parameters of a request, without the one that prevents caching. */
function readQuery(seen: IRequest | undefined): object {
  return Object.fromEntries([...(seen?.query ?? [])].filter(([name]) => !/^\d+$/.test(name)));
}

function row(seq: number): string {
  return document.querySelector(`tr[data-seq="${seq}"]`)?.textContent ?? '';
}

test('entries are listed with who did what, by which program and run, and how often', async () => {
  const denied = entry(2, { action: 'admin', outcome: 'denied', urn: '', detail: 'the audit', sensitive: false });
  const program = entry(1, { via: 'kernel-1', program: cell('load'), run: RUN, count: 3 });
  open(new FakeServer().on('GET', 'audit', page([denied, program])));
  await waitUntil(() => row(1) !== '');
  expect(row(2)).toContain('admindeniedthe audit');
  expect(row(1)).toContain('kernel kernel-1read × 3allowed');
  await clickButton('flights.orders');
  await clickButton('Show the run');
  expect(done).toEqual([`open ${table('orders')}`, `open ${RUN}`]);
});

test('a filter is applied by its button, and its texts are trimmed', async () => {
  const server = new FakeServer().on('GET', 'audit', page([entry(1)]));
  open(server);
  await waitUntil(() => row(1) !== '');
  fillField('User', ' ada ');
  fillField('Run', RUN);
  fillField('Action', 'change');
  fillField('Outcome', 'denied');
  fillField('Time', 'week');
  expect(server.seen.length).toBe(1);
  await clickButton('Filter');
  await waitUntil(() => server.seen.length === 2);
  expect(readQuery(server.seen[1])).toEqual({
    ...{ user: 'ada', run: RUN, action: 'change', outcome: 'denied', start: 'now-7d' },
    limit: '100'
  });
  await clickButton('Choose the entity…');
  await waitUntil(() => server.seen.at(-1)?.query.get('urn') === table('flights'));
  expect(server.seen.at(-1)?.query.get('user')).toBe('ada');
  await clickButton('Show all');
  await waitUntil(() => server.seen.length === 4);
  expect(readQuery(server.seen[3])).toEqual({ limit: '100' });
});

test('short answers are continued until a page is full, and earlier entries follow', async () => {
  const starts: (string | null)[] = [];
  const server = new FakeServer().on('GET', 'audit', ({ query }) => {
    const cursor = query.get('cursor');
    starts.push(cursor);
    const start = Number(cursor ?? 250);
    const count = Math.min(60, Number(query.get('limit')), start);
    const entries = Array.from({ length: count }, (_, index) => entry(start - index));
    return page(entries, start === count ? null : String(start - count));
  });
  const model = open(server);
  await waitUntil(() => model.state.entries.length === 100);
  expect([starts, model.state.cursor]).toEqual([[null, '190'], '150']);
  await clickButton('Show earlier entries');
  await waitUntil(() => model.state.entries.length === 200);
  await waitUntil(() => findButton('Show earlier entries')?.disabled === false);
  await clickButton('Show earlier entries');
  await waitUntil(() => model.state.cursor === null && model.state.entries.length === 250);
  expect(model.state.entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 250 }, (_, index) => 250 - index));
  await waitUntil(() => findButton('Show earlier entries') === undefined);
  // As many are shown again after another tab was.
  model.hide();
  model.show();
  await waitUntil(() => !model.state.busy);
  expect(model.state.entries.length).toBe(250);
});

test('a page ends after some requests, although few entries match', async () => {
  const server = new FakeServer().on('GET', 'audit', ({ query }) =>
    page([], String(Number(query.get('cursor') ?? 1000) - 1))
  );
  const model = open(server);
  await waitUntil(() => !model.state.busy);
  expect(server.seen.length).toBe(10);
  await waitUntil(() => document.body.textContent?.includes('0 entries; there may be earlier ones.') === true);
});

test('what the filter selects is exported as lines of JSON and as CSV', async () => {
  const lines = [entry(2), entry(1, { user: '=cmd()', program: cell('load') })].map(item => JSON.stringify(item));
  const text = `${lines.join('\n')}\n`;
  const server = new FakeServer()
    .on('GET', 'audit', page([entry(2), entry(1)]))
    .on('GET', 'audit/export', { body: text, type: LINES });
  open(server);
  await waitUntil(() => row(1) !== '');
  fillField('Outcome', 'allowed');
  await clickButton('Filter');
  await waitUntil(() => server.count('GET', 'audit') === 2);
  await waitUntil(() => findButton('Export as JSON lines')?.disabled === false);
  await clickButton('Export as JSON lines');
  await waitUntil(() => done.includes('audit.jsonl'));
  await waitUntil(() => findButton('Export as CSV')?.disabled === false);
  await clickButton('Export as CSV');
  await waitUntil(() => done.includes('audit.csv'));
  expect(files.map(file => file.size)).toEqual([text.length, formatAuditCsv(text).length]);
  const [names, second, first] = formatAuditCsv(text).split('\r\n');
  expect(names).toBe('seq,time,user,via,token,action,outcome,urn,detail,sensitive,count,program,run');
  expect(second).toContain(`2,2026-11-26T18:00:00.000Z,ada,,,read,allowed,"${table('orders')}",,true,1,,`);
  // A spreadsheet must not run it.
  expect(first).toContain(",'=cmd(),");
  const exported = server.seen.find(({ path }) => path === 'audit/export');
  expect(readQuery(exported)).toEqual({ outcome: 'allowed' });
});

test('an empty export is a file too', async () => {
  const server = new FakeServer().on('GET', 'audit', page([])).on('GET', 'audit/export', { body: '', type: LINES });
  open(server);
  await waitUntil(() => document.body.textContent?.includes('The setting "audit"') === true);
  await clickButton('Export as JSON lines');
  await waitUntil(() => files.length === 1);
  expect(files[0]?.size).toBe(0);
});

test('the verification adds up its parts, and reports the hash or the differences', async () => {
  const parts = (problems: string[]) => ({
    '': { entries: 40, problems, number: 40, hash: 'ab', cursor: '40' },
    '40': { entries: 2, problems: [], number: 42, hash: 'cd', cursor: null }
  });
  let answers = parts([]);
  const server = new FakeServer().on('GET', 'audit', page([])).on('GET', 'audit/verification', ({ query }) => ({
    body: answers[(query.get('cursor') ?? '') as keyof typeof answers]
  }));
  const model = open(server);
  await clickButton('Verify the chain');
  await waitUntil(() => model.state.verification?.finished === true);
  await waitUntil(() => document.body.textContent?.includes('42 entries were compared') === true);
  expect(document.body.textContent).toContain('Entry 42 has this hash:cd');
  answers = parts(['entry 7 was changed']);
  await clickButton('Verify the chain');
  await waitUntil(() => document.querySelector('.jp-Colophon-warning li')?.textContent === 'entry 7 was changed');
  await waitUntil(() => model.state.verification?.finished === true);
  expect(document.body.textContent).not.toContain('No problems found');
});

test('users who may not read the audit get the reason, and no tools', async () => {
  open(new FakeServer().on('GET', 'audit', problem(403, 'you may not read the audit')));
  await waitUntil(() => document.querySelector('[role="alert"]') !== null);
  expect(document.querySelector('[role="alert"]')?.textContent).toContain('you may not read the audit');
  expect([findButton('Filter'), findButton('Export as CSV'), findButton('Verify the chain')]).toEqual([
    undefined,
    undefined,
    undefined
  ]);
});
