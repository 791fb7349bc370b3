import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { VocabularyModel, VocabularyPanel } from '../../../src/panels/vocabulary';
import { answerOf, FakeServer, hit, problem } from '../../support/server';
import { clickButton } from '../../support/buttons';
import { waitUntil } from '../../support/wait-until';

const USER_KEYS = [
  { key: 'faa', kind: 'tag', scope: 'USER', entities: 3 },
  { key: 'owner', kind: 'property', scope: 'USER', entities: 5, values: { count: 2, isLowerBound: false } },
  { key: 'ticket', kind: 'property', scope: 'USER', entities: 9, values: { count: 1000, isLowerBound: true } }
];
const SYSTEM_KEYS = [
  { key: 'format', kind: 'property', scope: 'SYSTEM', entities: 8, values: { count: 1, isLowerBound: false } }
];
const TERM = { ...hit('9b1c'), urn: 'urn:li:glossaryTerm:9b1c', type: 'glossaryTerm' };
const INFO = 'entities/urn:li:glossaryTerm:Gross-margin/aspects/glossaryTermInfo';

function server(): FakeServer {
  return new FakeServer()
    .on('GET', 'me', { body: { user: {}, via: null, scopes: ['read', 'annotate', 'emit'], version: '0' } })
    .on('GET', 'keys', ({ query }) => ({
      body: { keys: query.get('scope') === 'USER' ? USER_KEYS : SYSTEM_KEYS, isLowerBound: false, cursor: null }
    }))
    .on('GET', 'keys/owner/values', ({ query }) => ({
      body:
        query.get('cursor') === null
          ? { values: [{ value: 'ops team', entities: 4 }], isLowerBound: false, cursor: 'next' }
          : { values: [{ value: 'sales', entities: 1 }], isLowerBound: false, cursor: null }
    }))
    .on('GET', 'keys/terms/values', {
      body: {
        values: [
          { value: '9b1c', entities: 7 },
          { value: 'churn', entities: 1 }
        ],
        isLowerBound: false,
        cursor: null
      }
    })
    .on('GET', 'search', { body: answerOf([{ ...TERM, displayName: 'Net revenue', description: 'After returns' }]) })
    .on('PUT', INFO, { body: {} });
}

let panel: VocabularyPanel | null = null;
const done: string[] = [];

afterEach(() => {
  panel?.dispose();
  panel = null;
  done.length = 0;
});

function open(behind: FakeServer): VocabularyModel {
  const model = new VocabularyModel(new Catalog(behind.settings), null);
  const actions = {
    search: (query: string) => void done.push(`search ${query}`),
    openEntity: (urn: string) => void done.push(`open ${urn}`),
    addTag: (tag: string) => void done.push(`tag ${tag}`)
  };
  panel = new VocabularyPanel(model, actions, nullTranslator.load(''));
  Widget.attach(panel, document.body);
  return model;
}

function cells(row: string): (string | null)[] {
  return [...document.querySelectorAll(`tr[data-key="${row}"] > *`)].map(cell => cell.textContent);
}

test('all keys and tags are listed with their counts, those of programs on demand', async () => {
  const model = open(server());
  await waitUntil(() => cells('owner').length > 0);
  expect(cells('faa')).toEqual(['faa', 'tag', '3', '']);
  expect(cells('owner')).toEqual(['owner', 'key', '5', '2']);
  expect(cells('ticket')[3]).toBe(`more than ${(1000).toLocaleString()}`);
  expect(cells('format')).toEqual([]);
  await clickButton('More: keys and tags of programs');
  await waitUntil(() => cells('format').length > 0);
  await clickButton('owner');
  await clickButton('faa');
  await clickButton('Add the tag faa to a table or a column…');
  expect(done).toEqual(['search owner:*', 'search tags:faa', 'tag faa']);
  expect(model.state.systemKeys?.keys).toHaveLength(1);
});

test('values of a key are loaded on demand, and searched', async () => {
  const behind = server();
  open(behind);
  await clickButton('2 values of owner');
  await clickButton('ops team');
  await clickButton('More values');
  await clickButton('sales');
  expect(done).toEqual(['search "owner:ops team"', 'search owner:sales']);
  expect(behind.count('GET', 'keys/owner/values')).toBe(2);
});

test('glossary terms have names, descriptions and carriers; those without an entity can be created', async () => {
  const behind = server();
  const model = open(behind);
  model.selectTab('term');
  await waitUntil(() => cells('churn').length > 0);
  expect(cells('9b1c')).toEqual(['Net revenue', 'After returns', '7']);
  await clickButton('7 entities with Net revenue');
  await clickButton('Net revenue');
  expect(done).toEqual(['search terms:9b1c', 'open urn:li:glossaryTerm:9b1c']);
  await clickButton('Create an entry for churn');
  await waitUntil(() => document.querySelector('.jp-Colophon-newEntry') !== null);
  expect(document.querySelector<HTMLInputElement>('.jp-Colophon-newEntry input')?.value).toBe('churn');
});

test('a term is created once, and a name in use is a problem', async () => {
  const behind = server();
  const model = open(behind);
  model.selectTab('term');
  const entry = { type: 'glossaryTerm', name: 'Gross margin', description: 'Before tax', parent: null };
  expect(await model.create(entry)).toBe('urn:li:glossaryTerm:Gross-margin');
  const sent = behind.seen.find(({ method }) => method === 'PUT');
  expect(sent?.headers.get('If-None-Match')).toBe('*');
  expect(sent?.body).toEqual({ name: 'Gross margin', definition: 'Before tax', termSource: 'INTERNAL' });
  behind.on('PUT', INFO, problem(412, 'the aspect exists'));
  expect(await model.create(entry)).toBeNull();
  expect(model.state.problem?.status).toBe(412);
});

test('domains follow what they are in, and move elsewhere', async () => {
  const [sales, europe, audit] = ['sales', 'europe', 'audit'].map(key => `urn:li:domain:${key}`) as [
    string,
    string,
    string
  ];
  const domain = (urn: string, name: string): ReturnType<typeof hit> => ({
    ...hit(name),
    urn,
    type: 'domain',
    displayName: name
  });
  const moved: unknown[] = [];
  const behind = server()
    .on('GET', 'keys/domain/values', { body: { values: [], isLowerBound: false, cursor: null } })
    .on('GET', 'search', {
      body: answerOf([domain(audit, 'Audit'), domain(europe, 'Europe'), domain(sales, 'Sales')])
    })
    .on('POST', 'hierarchy', {
      body: {
        entities: [
          { urn: europe, ancestors: [{ urn: sales, name: 'Sales' }] },
          { urn: sales, ancestors: [] },
          { urn: audit, ancestors: [] }
        ]
      }
    })
    .on('PATCH', `entities/${europe}/aspects/domainProperties`, ({ body }) => {
      moved.push(body);
      return { body: {} };
    });
  const model = open(behind);
  model.selectTab('domain');
  await waitUntil(() => model.state.entries.length === 3);
  expect(model.state.entries.map(({ name }) => name)).toEqual(['Audit', 'Sales', 'Europe']);
  await model.move(model.state.entries[2]!, audit);
  await model.move(model.state.entries[2]!, null);
  expect(moved).toEqual([{ parentDomain: audit }, { parentDomain: null }]);
});
