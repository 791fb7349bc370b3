import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { Erasure } from '../../../src/generated/api';
import { PrivacyModel, PrivacyPanel } from '../../../src/panels/privacy';
import { countRecords } from '../../../src/panels/privacy/model';
import { clickButton, findButton } from '../../support/buttons';
import { fillField, findField } from '../../support/fields';
import { FakeServer, problem, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const OLD: Erasure = {
  pseudonym: 'erased-0123456789ab',
  requestedBy: 'grace',
  started: '2026-11-20T12:00:00.000Z',
  step: 'finished',
  finished: '2026-11-20T12:01:00.000Z',
  changed: { aspects: 2, 'change log': 3, entities: 0 },
  problem: ''
};
const NEW: Erasure = {
  ...OLD,
  pseudonym: 'erased-ba9876543210',
  step: 'change log',
  finished: null,
  changed: { aspects: 1 }
};
const RECORDS = [
  { format: 'jupyter-colophon-person', version: 1, person: 'ada' },
  { kind: 'aspects', record: { urn: table('orders') }, mentions: [{ field: 'actor', pointer: '', value: 'ada' }] },
  {
    kind: 'aspects',
    record: { urn: table('flights') },
    mentions: [0, 1].map(index => ({ field: 'value', pointer: `/owners/${index}/owner`, value: 'urn:li:corpuser:ada' }))
  },
  { kind: 'acme_things', record: {}, mentions: [] }
];
const LINES = RECORDS.map(line => `${JSON.stringify(line)}\n`).join('');

let panel: PrivacyPanel | null = null;
const files: [string, Blob][] = [];

afterEach(() => {
  panel?.dispose();
  panel = null;
  files.length = 0;
});

function server(lines = LINES, erasures: () => Erasure[] = () => [OLD]): FakeServer {
  return new FakeServer()
    .on('GET', 'erasures', () => ({ body: { erasures: erasures() } }))
    .on('POST', 'erasures', { status: 202, body: NEW })
    .on('POST', 'person-export', { body: lines, type: 'application/x-ndjson' });
}

function open(backend: FakeServer): PrivacyModel {
  const model = new PrivacyModel(new Catalog(backend.settings));
  const actions = { download: (name: string, content: Blob) => void files.push([name, content]) };
  panel = new PrivacyPanel(model, actions, nullTranslator.load(''));
  Widget.attach(panel, document.body);
  return model;
}

async function show(person: string): Promise<void> {
  await waitUntil(() => findField('User name') !== null);
  fillField('User name', person);
  await clickButton('Show what is recorded');
}

function rows(label: string): string[] {
  return [...document.querySelectorAll(`table[aria-label="${label}"] tbody tr`)].map(item => item.textContent ?? '');
}

test('the records of a person are counted by place, and exported', async () => {
  const backend = server();
  open(backend);
  await show(' ada ');
  await waitUntil(() => rows('Records of ada').length > 0);
  expect(rows('Records of ada')).toEqual(['current metadata2actor, value/owners/owner', 'acme things1']);
  await clickButton('Export as JSON lines');
  expect(files.map(([name, { size }]) => [name, size])).toEqual([['person.jsonl', LINES.length]]);
  expect(backend.seen.find(({ method }) => method === 'POST')?.body).toEqual({ person: 'ada' });
  // The name is never part of a path.
  expect(backend.seen.some(({ path, query }) => `${path}${query.toString()}`.includes('ada'))).toBe(false);
});

test('a person is erased only after the name was typed, and the progress is shown', async () => {
  let erasures = [OLD];
  const backend = server(LINES, () => erasures);
  const model = open(backend);
  await show('ada');
  await clickButton('Erase…');
  await waitUntil(() => findButton('Erase') !== undefined);
  expect(findButton('Erase')?.disabled).toBe(true);
  fillField('Type ada to confirm', 'Ada');
  expect(findButton('Erase')?.disabled).toBe(true);
  fillField('Type ada to confirm', 'ada');
  await waitUntil(() => findButton('Erase')?.disabled === false);
  erasures = [NEW, OLD];
  await clickButton('Erase');
  await waitUntil(() => rows('Erasures').length === 2);
  expect(backend.seen.find(({ method, path }) => method === 'POST' && path === 'erasures')?.body).toEqual({
    person: 'ada'
  });
  expect(model.state.records).toBeNull();
  expect(rows('Erasures')[0]).toContain('running: change log');
  expect(document.body.textContent).toContain('1 erasure is running.');
  // It is read again until it has ended.
  const count = backend.count('GET', 'erasures');
  await waitUntil(() => backend.count('GET', 'erasures') > count);
  erasures = [{ ...NEW, step: 'finished', finished: OLD.finished, changed: OLD.changed }, OLD];
  await waitUntil(() => rows('Erasures')[0]?.includes('finished') === true);
  expect(rows('Erasures')[0]).toContain('5current metadata: 2change log: 3');
});

test('a stopped erasure shows its problem, and can be continued although no record is left', async () => {
  const stopped = { ...NEW, problem: 'the store is damaged' };
  open(server(LINES.split('\n')[0], () => [stopped]));
  await show('ada');
  await waitUntil(() => document.body.textContent?.includes('No record names this person.') === true);
  expect(rows('Erasures')[0]).toContain('stopped: the store is damaged');
  expect([findButton('Erase…') !== undefined, findButton('Export as JSON lines')]).toEqual([true, undefined]);
});

test('without records there is nothing to erase', async () => {
  const model = open(server(LINES.split('\n')[0]));
  await show('eve');
  await waitUntil(() => model.state.records !== null);
  expect([model.state.records?.counts, findButton('Erase…')]).toEqual([[], undefined]);
});

test('a refused erasure keeps the records, and a refused name shows the reason', async () => {
  const backend = server().on('POST', 'erasures', problem(503, 'the store is read-only'));
  const model = open(backend);
  await show('ada');
  await waitUntil(() => model.state.records !== null);
  await model.erase();
  await waitUntil(() => document.querySelector('[role="alert"]')?.textContent?.includes('read-only') === true);
  expect(model.state.records?.person).toBe('ada');
  backend.on('POST', 'person-export', problem(400, 'it is not the name of a person'));
  await show('colophon');
  await waitUntil(() => document.querySelector('[role="alert"]')?.textContent?.includes('not the name') === true);
});

test('users without the permission get the reason, and no form', async () => {
  open(server().on('GET', 'erasures', problem(403, 'you may not manage the data of people')));
  await waitUntil(() => document.querySelector('[role="alert"]') !== null);
  expect(document.querySelector('[role="alert"]')?.textContent).toContain('you may not manage the data of people');
  expect(findField('User name')).toBeNull();
});

test('an export without records has only its header', () => {
  expect(countRecords(`${LINES.split('\n')[0]}\n`)).toEqual([]);
});
