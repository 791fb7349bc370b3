import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import React from 'react';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { Run } from '../../../src/generated/api';
import { Registry } from '../../../src/model/registry';
import type { ICurrentNotebook } from '../../../src/notebook/current-notebook';
import { SearchModel, SearchPanel } from '../../../src/panels/search';
import { NotebookSection } from '../../../src/panels/search/notebook-section';
import type { IMetadataService, ISearchSection, ISearchSectionProps } from '../../../src/tokens';
import { FakeFeed } from '../../support/feed';
import { FakeServer, runOf, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const trans = nullTranslator.load('');
let panel: SearchPanel | null = null;
let opened: string[] = [];
let ran: number[] = [];

afterEach(() => {
  panel?.dispose();
  panel = null;
});

/** A notebook without JupyterLab. */
class Notebook implements ICurrentNotebook {
  readonly changed: Signal<ICurrentNotebook, void> = new Signal<ICurrentNotebook, void>(this);
  constructor(public state: string | null) {}

  setPath(path: string | null): void {
    this.state = path;
    this.changed.emit();
  }
}

function access(name: string, mode: 'read' | 'write'): Run['accesses'][number] {
  const time = '2026-11-20T12:00:00.000Z';
  return { data: table(name), mode, component: '', first: time, last: time, statements: [] };
}

/** Shows the search panel with sections of a registry. */
function show(registry: Registry<ISearchSection>): void {
  const variable = 'urn:li:dataset:(urn:li:dataPlatform:notebook,default/flights.ipynb#c1#frame,PROD)';
  const accesses = [access('a', 'read'), access('b', 'write'), access('b', 'read')];
  // Variables are shown in lineage only.
  const run: Run = { ...runOf('c1'), accesses: [{ ...access('', 'write'), data: variable }, ...accesses] };
  const time = '2026-11-20T12:00:00.000Z';
  const change = { data: table('a'), reason: 'written', read: time, written: time, program: null, run: null };
  const server = new FakeServer()
    .on('GET', 'changes', { body: { cursor: 0, changes: [] } })
    .on('GET', 'cell-runs', ({ query }) => ({
      body: { runs: query.get('notebook') === 'flights.ipynb' ? [run] : [], cursor: null }
    }))
    .on('POST', 'cell-states', {
      body: {
        cells: [{ cell: 'c1', program: run.program, run: run.urn, start: run.start, state: 'stale', changes: [change] }]
      }
    });
  const catalog = new Catalog(server.settings);
  [opened, ran] = [[], []];
  const openers = { openEntity: (urn: string) => opened.push(urn), previewEntity: (urn: string) => opened.push(urn) };
  const metadata = {
    call: catalog.call.bind(catalog),
    feed: new FakeFeed().feed,
    ...openers
  } as unknown as IMetadataService;
  const ignore = (): void => undefined;
  const actions = {
    ...openers,
    askName: () => Promise.resolve(null),
    editEntities: ignore,
    addTag: ignore,
    showVocabulary: ignore
  };
  panel = new SearchPanel(new SearchModel(catalog, null, null), null, actions, trans, { registry, metadata });
  Widget.attach(panel, document.body);
}

test('the section lists what the notebook writes and reads, and follows the current notebook', async () => {
  const notebook = new Notebook('flights.ipynb');
  const registry = new Registry<ISearchSection>();
  const component = ({ metadata }: ISearchSectionProps): React.JSX.Element => (
    <NotebookSection notebook={notebook} metadata={metadata} runStaleCells={() => ran.push(1)} trans={trans} />
  );
  registry.add({ id: 'notebook', rank: 100, title: 'In this notebook', component });
  show(registry);
  const rows = (): (string | null)[] =>
    [...document.querySelectorAll('section[aria-label="In this notebook"] [data-urn]')].map(item => item.textContent);
  await waitUntil(() => rows().length === 2);
  expect(rows()[0]).toMatch(/^b.*read and written$/);
  expect(rows()[1]).toMatch(/^a.*read$/);
  document.querySelector<HTMLElement>(`[data-urn="${table('a')}"]`)?.click();
  expect(opened).toEqual([table('a')]);

  const group = (): Element | null => document.querySelector('[role="group"][aria-label="Stale cells"]');
  await waitUntil(() => group() !== null);
  expect(group()?.textContent).toMatch(/^1 stale cell Run it→ flights\.bflights\.a was written again on /);
  group()?.querySelector('button')?.click();
  expect(ran).toEqual([1]);

  notebook.setPath('other.ipynb');
  await waitUntil(() => document.body.textContent?.includes('Nothing recorded for other.ipynb yet.') === true);
  notebook.setPath(null);
  await waitUntil(() => document.body.textContent?.includes('Open a notebook to see') === true);
});

test('sections of extensions are shown by rank, and until they are removed', async () => {
  const registry = new Registry<ISearchSection>();
  const add = (title: string, rank: number): { dispose(): void } =>
    registry.add({ id: title, rank, title, component: () => <p>{`content of ${title}`}</p> });
  add('Later', 900);
  const first = add('First', 10);
  show(registry);
  const titles = (): (string | null)[] => [...document.querySelectorAll('h3')].map(item => item.textContent);
  await waitUntil(() => document.body.textContent?.includes('content of Later') === true);
  expect(titles()).toEqual(['First', 'Browse', 'Later']);
  first.dispose();
  await waitUntil(() => titles().join() === 'Browse,Later');
});
