import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { Schemaspaces } from '../../../src/api/schemaspaces';
import { SavedSearchStore } from '../../../src/model/search/saved-searches';
import { TAG_MIME } from '../../../src/model/editing/tag-drag';
import { SearchPanel } from '../../../src/panels/search';
import { SearchModel } from '../../../src/panels/search/model';
import { FakeServer, answerOf, cell, column, hit, table } from '../../support/server';
import { Searches } from '../../support/searches';
import { clickButton, findButton } from '../../support/buttons';
import { waitUntil } from '../../support/wait-until';

const NASTY = '<img src=x onerror=alert(1)>';
const SPACE = 'schemaspaces/saved-searches/instances';
const ROW = { name: 'raw', display_name: 'Raw data', schema_name: 'saved-search', version: 3, valid: true };
const FACETS = {
  type: [{ value: 'dataset', count: 2 }],
  namespace: [
    { value: 'sales', count: 1 },
    { value: NASTY, count: 1 }
  ],
  tag: []
};

function server(): FakeServer {
  return new FakeServer()
    .on('GET', 'keys', { body: { keys: [], cursor: null } })
    .on('GET', 'changes', { body: { cursor: 0, changes: [] } })
    .on('GET', 'search', ({ query }) => ({
      body: {
        ...answerOf(query.get('namespace') === 'sales' ? [hit('a')] : [why(), hit('a')]),
        facets: FACETS
      }
    }))
    .on('GET', SPACE, { body: { instances: [ROW], total: 1, tags: [], schemas: [], cursor: null } })
    .on('GET', `${SPACE}/raw`, {
      body: { ...ROW, metadata: { query: 'owner:ops', namespace: 'sales', tags: ['x'] } }
    })
    .on('POST', SPACE, { status: 201, body: ROW })
    .on('DELETE', `${SPACE}/raw`, { body: { name: 'raw', version: 4 } });
}

/** A hit with HTML in its texts. */
function why(): ReturnType<typeof hit> {
  return hit(NASTY, [
    {
      key: 'note',
      value: NASTY,
      scope: 'USER',
      parts: [
        { text: '<img ', highlighted: true },
        { text: 'src=x onerror=alert(1)>', highlighted: false }
      ]
    },
    { key: 'owner', value: 'ada', scope: 'USER', matchedOn: 'key', parts: [{ text: 'owner', highlighted: true }] }
  ]);
}

const CHANGE = {
  seq: 1,
  time: '2026-11-20T12:00:00.000Z',
  namespace: 'default',
  operation: 'update',
  version: 1,
  scope: 'SYSTEM',
  actor: 'ada',
  via: null,
  run: null,
  previous: null,
  value: {}
};

let open: SearchPanel | null = null;
const opened: string[] = [];

afterEach(() => {
  open?.dispose();
  open = null;
  opened.length = 0;
});

function shown(behind: FakeServer, keeps = true, followed: Searches | null = null): SearchModel {
  const saved = keeps ? new SavedSearchStore(new Schemaspaces(behind.settings)) : null;
  const model = new SearchModel(new Catalog(behind.settings), null, saved);
  const actions = {
    openEntity: (urn: string) => void opened.push(`open ${urn}`),
    previewEntity: (urn: string) => void opened.push(`preview ${urn}`),
    openCell: ({ path, cell: id }: { path?: string | undefined; cell?: string | undefined }) =>
      void opened.push(`cell ${path}#${id}`),
    askName: () => Promise.resolve(' Raw data '),
    editEntities: (urns: readonly string[]) => void opened.push(`edit ${urns.join(' ')}`),
    addTag: (tag: string, urn: string) => void opened.push(`tag ${tag} ${urn}`),
    showVocabulary: (tab: string) => void opened.push(`vocabulary ${tab}`)
  };
  open = new SearchPanel(model, null, actions, nullTranslator.load(''), null, followed);
  Widget.attach(open, document.body);
  return model;
}

async function typed(model: SearchModel, text: string): Promise<void> {
  model.setText(text);
  await waitUntil(() => document.querySelector('[data-urn]') !== null && model.state.hits.length > 0);
}

test('a cell is shown by its title, with its notebook beside it', async () => {
  const parts = [
    { text: 'Remove ', highlighted: false },
    { text: 'cancelled', highlighted: true }
  ];
  const why = { key: 'name', value: 'Remove cancelled', scope: 'SYSTEM' as const, parts };
  const found = { ...hit('etl/flights.ipynb#a1', [why]), urn: cell('a1'), type: 'dataJob' };
  const behind = server().on('GET', 'search', { body: answerOf([{ ...found, displayName: 'Remove cancelled' }]) });
  await typed(shown(behind), 'cancelled');
  const row = document.querySelector('.jp-Colophon-hit');
  expect(row?.querySelector('.jp-Colophon-name')?.innerHTML).toBe('Remove <mark>cancelled</mark>');
  expect(row?.querySelector('.jp-Colophon-path')?.textContent).toBe('flights.ipynb');
  expect(row?.querySelector('.jp-Colophon-match')).toBeNull();
  expect(document.querySelector('.jp-Colophon-hitCheck')?.getAttribute('aria-label')).toBe('Select Remove cancelled');
});

test('recent programs are shown by their titles, which are read in one request', async () => {
  const change = { ...CHANGE, urn: cell('a1'), type: 'dataJob', name: 'flights.ipynb#a1', aspect: 'dataJobInfo' };
  const behind = server()
    .on('GET', 'changes', { body: { cursor: 1, changes: [change] } })
    .on('POST', 'entities/display-names', { body: { displayNames: { [cell('a1')]: 'Load' } } });
  shown(behind);
  await waitUntil(() => document.querySelector('.jp-Colophon-name')?.textContent === 'Load');
  expect(behind.count('POST', 'entities/display-names')).toBe(1);
});

test('matches are highlighted as text', async () => {
  await typed(shown(server()), 'img');
  const marks = [...document.querySelectorAll('mark')].map(mark => mark.textContent);
  expect(marks).toEqual(['<img ']);
  expect(document.querySelector('.jp-Colophon-hit .jp-Colophon-name')?.textContent).toBe(NASTY);
  expect(document.querySelector('img')).toBeNull();
});

test('hits that are columns show their table', async () => {
  const result = { ...hit('name'), urn: column('staff', 'name'), type: 'schemaField' };
  const behind = server().on('GET', 'search', { body: answerOf([result, hit('a')]) });
  await typed(shown(behind), 'name');
  const names = [...document.querySelectorAll('.jp-Colophon-hit .jp-Colophon-name')].map(name => name.textContent);
  expect(names).toEqual(['name', 'a']);
  expect([...document.querySelectorAll('.jp-Colophon-path')].map(path => path.textContent)).toEqual([
    'of flights.staff',
    'flights · spark'
  ]);
  expect(document.querySelector('.jp-Colophon-typeIcon')?.getAttribute('aria-label')).toBe('column');
});

test('hits that are cells open their cell', async () => {
  const result = { ...hit('flights.ipynb#b1'), urn: cell('b1'), type: 'dataJob' };
  await typed(shown(server().on('GET', 'search', { body: answerOf([result, hit('a')]) })), 'b1');
  expect([...document.querySelectorAll('.jp-Colophon-hitCell')]).toHaveLength(1);
  await clickButton('Open cell');
  expect(opened).toEqual(['cell flights.ipynb#b1']);
});

test('a click previews a hit, Enter opens it', async () => {
  await typed(shown(server().on('GET', 'search', { body: answerOf([hit('a')]) })), 'a');
  const row = document.querySelector<HTMLElement>('[data-urn]');
  row?.click();
  row?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  expect(opened).toEqual([`preview ${table('a')}`, `open ${table('a')}`]);
});

test('a name that is not found is corrected', async () => {
  const behind = server().on('GET', 'search', ({ query }) => ({
    body: query.get('q') === 'flights.a' ? answerOf([hit('a')]) : { ...answerOf([]), suggestions: ['flights.a'] }
  }));
  const model = shown(behind);
  model.setText('flihgts');
  await clickButton('flights.a');
  await waitUntil(() => model.state.hits.length === 1);
  expect(model.state.text).toBe('flights.a');
});

test('facet values set and clear filters', async () => {
  const behind = server();
  const model = shown(behind);
  await typed(model, 'a');
  expect(findButton('Type')).toBeUndefined();
  await clickButton('Namespace');
  await clickButton('sales 1');
  await waitUntil(() => model.state.hits.length === 1);
  const getNamespace = (): string | null | undefined =>
    behind.seen
      .filter(({ path }) => path === 'search')
      .at(-1)
      ?.query.get('namespace');
  expect(getNamespace()).toBe('sales');
  expect(document.querySelector('[aria-label="Conditions"]')?.textContent).toBe('Namespace: sales');
  await clickButton('Remove the condition Namespace: sales');
  await waitUntil(() => model.state.hits.length === 2);
  expect(getNamespace()).toBeNull();
});

test('a search is saved, opened and deleted', async () => {
  const behind = server();
  const model = shown(behind);
  await typed(model, 'ops');
  model.toggleFilter('tag', 'raw');
  await clickButton('Save search');
  await waitUntil(() => behind.count('POST', SPACE) === 1);
  expect(behind.seen.find(request => request.method === 'POST')?.body).toEqual({
    display_name: 'Raw data',
    schema_name: 'saved-search',
    metadata: { query: 'ops*', tag: 'raw' }
  });
  model.setText('');
  await clickButton('Raw data');
  await waitUntil(() => model.state.text === 'owner:ops' && !model.state.busy);
  expect(model.state.filters).toEqual({ namespace: 'sales' });
  expect(
    behind.seen
      .filter(request => request.path === 'search')
      .at(-1)
      ?.query.get('q')
  ).toBe('owner:ops');
  model.setText('');
  await clickButton('Delete the saved search Raw data');
  await waitUntil(() => document.querySelector('.jp-Dialog') !== null);
  expect(document.querySelector('.jp-Dialog')?.textContent).toContain('Delete “Raw data”?');
  await clickButton('Cancel');
  await waitUntil(() => document.querySelector('.jp-Dialog') === null);
  expect(behind.count('DELETE', `${SPACE}/raw`)).toBe(0);
  await clickButton('Delete the saved search Raw data');
  await waitUntil(() => document.querySelector('.jp-Dialog') !== null);
  document.querySelector<HTMLButtonElement>('.jp-Dialog .jp-mod-warn')?.click();
  await waitUntil(() => behind.count('DELETE', `${SPACE}/raw`) === 1);
});

test('without schemaspaces searches cannot be saved', async () => {
  await typed(shown(server(), false), 'a');
  expect(findButton('Save search')).toBeUndefined();
});

test('a search is followed from its results, and listed before a search', async () => {
  const followed = new Searches();
  const model = shown(server(), true, followed);
  await model.search('owner:*', { type: 'dataset' });
  await clickButton('Follow search');
  expect(followed.state).toEqual([{ query: 'owner:*', filters: { type: 'dataset' } }]);
  await waitUntil(() => findButton('Follow search')?.getAttribute('aria-pressed') === 'true');
  await model.search('');
  await clickButton('owner:* · dataset');
  await waitUntil(() => model.state.text === 'owner:*' && !model.state.busy);
  expect(model.state.filters).toEqual({ type: 'dataset' });
  await model.search('');
  await clickButton('Stop following owner:* · dataset');
  expect(followed.state).toEqual([]);
});

test('tags of programs are folded, in filters and in hits', async () => {
  const tagged = { ...hit('a'), tags: ['Cell', 'faa'], systemTags: ['Cell'] };
  const facets = {
    ...FACETS,
    tag: [
      { value: 'Cell', count: 9, bySystem: true },
      { value: 'faa', count: 2 },
      { value: 'kpi', count: 1 }
    ]
  };
  await typed(shown(server().on('GET', 'search', { body: { ...answerOf([tagged, hit('b')]), facets } })), 'a');
  const details = document.querySelector('.jp-Colophon-hit-details');
  expect(details?.querySelector('.jp-Colophon-tag')?.textContent).toBe('faa');
  expect(details?.querySelector('.jp-Colophon-moreTags')?.getAttribute('title')).toBe('Cell');
  await clickButton('Tag');
  await waitUntil(() => findButton('faa 2') !== undefined);
  expect(findButton('Cell 9')).toBeUndefined();
  await clickButton('1 more, written by programs');
  await waitUntil(() => findButton('Cell 9') !== undefined);
});

function checkbox(name: string): HTMLInputElement | null {
  return document.querySelector(`input[aria-label="Select ${name}"]`);
}

test('selected hits are edited together', async () => {
  const hits = ['a', 'b', 'c'].map(name => hit(name));
  const model = shown(server().on('GET', 'search', { body: answerOf(hits) }));
  await typed(model, 'a');
  checkbox('a')?.click();
  await waitUntil(() => findButton('Edit…') !== undefined);
  const rows = [...document.querySelectorAll<HTMLElement>('.jp-Colophon-hit')];
  rows[2]?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey: true }));
  await waitUntil(() => model.state.selected.size === 2);
  await clickButton('Edit…');
  rows[1]?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey: true }));
  await waitUntil(() => model.state.selected.size === 3);
  expect(opened).toEqual([`edit ${table('a')} ${table('c')}`]);
  model.setText('other');
  await waitUntil(() => model.state.selected.size === 0);
  await waitUntil(() => findButton('Edit…') === undefined);
});

test('a tag is dropped on a hit', async () => {
  await typed(shown(server().on('GET', 'search', { body: answerOf([hit('a')]) })), 'a');
  const event = new Event('drop', { bubbles: true, cancelable: true });
  Object.assign(event, {
    dataTransfer: { types: [TAG_MIME], getData: (type: string) => (type === TAG_MIME ? 'faa' : '') }
  });
  document.querySelector('.jp-Colophon-hit')?.dispatchEvent(event);
  await waitUntil(() => opened.length === 1);
  expect(opened).toEqual([`tag faa ${table('a')}`]);
  expect(event.defaultPrevented).toBe(true);
});
