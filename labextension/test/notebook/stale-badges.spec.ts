import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import { expect, test } from 'vitest';
import { Catalog } from '../../src/api/client';
import { formatTime } from '../../src/components/labels';
import type { CellStates, Run } from '../../src/generated/api';
import { NotebookDataModel } from '../../src/model/notebooks/notebook-data';
import type { INotebookWidget } from '../../src/notebook/notebooks';
import { StaleBadges } from '../../src/notebook/stale-badges';
import type { IMetadataService } from '../../src/tokens';
import { FakeFeed } from '../support/feed';
import { FakeServer, cell, runOf, table } from '../support/server';
import { waitUntil } from '../support/wait-until';

const trans = nullTranslator.load('');
const TIME = '2026-11-20T12:00:00.000Z';
const DF = 'urn:li:dataset:(urn:li:dataPlatform:notebook,default/flights.ipynb#c1#df,PROD)';
type CellState = CellStates['cells'][number];

function createNotebook(ids: readonly string[]): {
  notebook: INotebookWidget;
  cells: Widget[];
  moved: Signal<object, void>;
} {
  const cells = ids.map((id, index) => {
    const widget = new Widget();
    widget.node.innerHTML = '<div class="jp-Colophon-cellBadge"></div><div class="jp-Cell-outputWrapper"></div>';
    return Object.assign(widget, { model: { id, executionCount: index + 1 } });
  });
  const moved = new Signal<object, void>({});
  const content = Object.assign(new Widget(), { widgets: cells, model: { cells: { changed: moved } } });
  const context = { path: 'flights.ipynb', ready: Promise.resolve() };
  return { notebook: Object.assign(new Widget(), { content, context }) as unknown as INotebookWidget, cells, moved };
}

function stateOf(id: string, ...changes: Partial<CellState['changes'][number]>[]): CellState {
  const change = { data: DF, reason: 'written' as const, read: TIME, written: TIME, program: cell('c1'), run: null };
  const state = changes.length > 0 ? 'stale' : 'fresh';
  return {
    cell: id,
    program: cell(id),
    run: runOf(id).urn,
    start: TIME,
    state,
    changes: changes.map(more => ({ ...change, ...more }))
  };
}

test('stale cells have a badge that explains why, until they ran again', async () => {
  const access = { data: table('a'), mode: 'read' as const, component: '', first: TIME, last: TIME, statements: [] };
  let runs: Run[] = [{ ...runOf('c2'), accesses: [access] }];
  let states = [
    stateOf('c1'),
    stateOf('c2', {}, { data: table('a'), program: null }),
    stateOf('c3', { reason: 'stale', written: null, program: cell('c2') })
  ];
  const server = new FakeServer()
    .on('GET', 'changes', { body: { cursor: 0, changes: [] } })
    .on('GET', 'cell-runs', () => ({ body: { runs, cursor: null } }))
    .on('POST', 'cell-states', () => ({ body: { cells: states } }));
  const catalog = new Catalog(server.settings);
  const feed = new FakeFeed();
  const metadata = { call: catalog.call.bind(catalog), feed: feed.feed } as unknown as IMetadataService;
  const data = new NotebookDataModel(catalog, null, 'flights.ipynb');
  const { notebook, cells, moved } = createNotebook(['c1', 'c2', 'c3']);
  const badges = new StaleBadges(notebook, data, metadata, new CommandRegistry(), trans);
  const titles = (): (string | undefined)[] =>
    cells.map(({ node }) => node.querySelector<HTMLElement>('.jp-Colophon-staleBadge')?.title);
  // Nothing is known of the notebook, so nothing is requested.
  await waitUntil(() => feed.holders === 1);
  expect(server.count('POST', 'cell-states')).toBe(0);

  data.show();
  await waitUntil(() => titles()[1] !== undefined);
  const time = formatTime(TIME);
  expect(titles()).toEqual([
    undefined,
    `df was set again by the cell [1] on ${time}.\nflights.a was written again on ${time}.`,
    'df comes from the cell [2], which is stale.'
  ]);
  expect(cells[1]?.node.firstElementChild?.getAttribute('aria-label')).toMatch(/^Stale: df was set again/);
  expect(server.seen.at(-1)?.body).toEqual({ notebook: 'flights.ipynb', cells: ['c1', 'c2', 'c3'] });

  // Another program writes what a cell read; then a cell runs again; then one is deleted.
  const requests = server.count('POST', 'cell-states');
  feed.emit('other', { operation: 'access' });
  feed.emit('a', { operation: 'access' });
  await waitUntil(() => server.count('POST', 'cell-states') === requests + 1);
  runs = [...runs];
  states = [stateOf('c2')];
  await data.refresh();
  await waitUntil(() => titles().every(title => title === undefined));
  moved.emit();
  await waitUntil(() => server.count('POST', 'cell-states') === requests + 3);
  badges.dispose();
  expect(feed.holders).toBe(0);
  data.dispose();
});
