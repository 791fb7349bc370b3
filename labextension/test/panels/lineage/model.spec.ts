import { nullTranslator } from '@jupyterlab/translation';
import { expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { EntityUrns } from '../../../src/generated/api';
import { FIRST_PAGE, getClusterUrn, NEXT_PAGE } from '../../../src/lineage/cluster';
import { computeLayout } from '../../../src/lineage/layout';
import { getEdgeId } from '../../../src/lineage/graph';
import { Layouter } from '../../../src/lineage/layouter';
import { packLayout, unpackGraph } from '../../../src/lineage/packing';
import { createAppearance } from '../../../src/panels/lineage/appearance';
import { LineageModel } from '../../../src/panels/lineage/model';
import { describeChange } from '../../../src/panels/lineage/comparison';
import { createDocument } from '../../../src/panels/lineage/exports';
import { DEFAULT_OPTIONS } from '../../../src/panels/lineage/options';
import { formatView, parseView } from '../../../src/panels/lineage/view-text';
import type { ITask } from '../../../src/lineage/worker';
import { formatImpactCsv } from '../../../src/panels/lineage/impact-list';
import { FakeFeed } from '../../support/feed';
import { cell, FakeServer, lineageOf, problem, runOf, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

function server(): FakeServer {
  const a = table('a');
  const story: [string, string][] = [
    [a, cell('p')],
    [table('a2'), cell('p')],
    [cell('p'), table('b')]
  ];
  const answers = [
    lineageOf(a, [[cell('x'), a]], { [cell('x')]: [0, 2] }),
    lineageOf(table('b'), story, { [a]: [1, 0], [table('a2')]: [1, 0] }),
    lineageOf(cell('x'), [
      [cell('x'), a],
      [cell('x'), table('a2')],
      [cell('x'), table('elsewhere')]
    ])
  ];
  return new FakeServer()
    .on('GET', 'lineage', ({ query }) => ({ body: answers.find(answer => answer.urn === query.get('urn')) }))
    .on('GET', 'runs', { body: { runs: [runOf('p')], cursor: null } });
}

function createLayouter(): Layouter {
  return new Layouter(() => {
    throw new Error('no workers in here');
  });
}

function modelOn(
  behind: FakeServer,
  fakeFeed: FakeFeed | null = null,
  layouter: Layouter = createLayouter()
): LineageModel {
  return new LineageModel(new Catalog(behind.settings), fakeFeed?.feed ?? null, layouter, table('b'), 1);
}

async function shown(behind: FakeServer, fakeFeed: FakeFeed | null = null): Promise<LineageModel> {
  const model = modelOn(behind, fakeFeed);
  model.show();
  await waitUntil(() => model.state.answered);
  return model;
}

test('a graph loads the given levels with a layout', async () => {
  const behind = server();
  const model = await shown(behind);
  expect(behind.seen[0]?.query.get('levels')).toBe('1');
  expect([...model.state.scene.nodes.keys()]).toEqual([cell('p'), table('a'), table('a2'), table('b')]);
});

test('the nearest part of a large graph is drawn first', async () => {
  const edge: [string, string] = [cell('p'), table('b')];
  const whole = lineageOf(table('b'), [[table('a'), cell('p')], edge]);
  const nearest = { ...lineageOf(table('b'), [edge]), truncated: true };
  const model = modelOn(
    new FakeServer().on('GET', 'lineage', ({ query }) => ({
      body: Number(query.get('limit')) < 10_000 ? nearest : whole
    }))
  );
  const drawn: { nodes: number; answered: boolean }[] = [];
  model.changed.connect(() => drawn.push({ nodes: model.state.scene.nodes.size, answered: model.state.answered }));
  model.show();
  await waitUntil(() => model.state.answered);
  expect(drawn).toContainEqual({ nodes: 2, answered: false });
  expect(drawn.at(-1)).toEqual({ nodes: 3, answered: true });
});

test('a small graph is read with one request', async () => {
  const behind = server();
  await shown(behind);
  expect(behind.count('GET', 'lineage')).toBe(1);
});

test('expanding a node adds its hidden neighbours', async () => {
  const behind = server();
  const model = await shown(behind);
  await model.expand(table('a'), 'upstream');
  const requests = behind.seen.map(request => `${request.query.get('urn')} ${request.query.get('direction')}`);
  expect(requests).toContain(`${table('a')} upstream`);
  expect(model.state.scene.nodes.has(cell('x'))).toBe(true);
  expect(model.state.scene.nodes.get(table('a'))?.node.notShown.upstream).toBe(0);
});

test('an expanded program is connected to displayed data only', async () => {
  const model = await shown(server());
  await model.expand(table('a'), 'upstream');
  const { nodes, graph } = model.state.scene;
  expect(graph.edges.filter(edge => edge.source === cell('x')).map(edge => edge.target)).toEqual([
    table('a'),
    table('a2')
  ]);
  expect(nodes.get(table('a2'))?.node.notShown.upstream).toBe(0);
  expect(nodes.get(cell('x'))?.node.notShown.downstream).toBe(1);
  expect(nodes.has(table('elsewhere'))).toBe(false);
});

test('expanding a complete side loads nothing', async () => {
  const behind = server();
  const model = await shown(behind);
  await model.expand(table('b'), 'downstream');
  expect(behind.count('GET', 'lineage')).toBe(1);
});

test('expanded nodes survive a new interval but not new levels', async () => {
  const model = await shown(server());
  await model.expand(table('a'), 'upstream');
  await model.setOptions({ interval: { kind: 'day' } });
  expect(model.state.scene.nodes.has(cell('x'))).toBe(true);
  await model.setOptions({ levels: 2 });
  expect(model.state.scene.nodes.has(cell('x'))).toBe(false);
});

test('selecting a program or an edge loads its runs', async () => {
  const behind = server();
  const model = await shown(behind);
  await model.setOptions({ interval: { kind: 'hour' } });
  await model.selectNode(cell('p'));
  let requests = behind.seen.filter(({ path }) => path === 'runs').at(-1)?.query;
  expect([requests?.get('program'), requests?.get('data'), requests?.get('start')]).toEqual([
    cell('p'),
    null,
    'now-1h'
  ]);
  expect(model.state.selection.runs?.map(run => run.runId)).toEqual(['p']);
  await model.selectEdge(`${cell('p')}\u241f${table('b')}`);
  requests = behind.seen.filter(({ path }) => path === 'runs').at(-1)?.query;
  expect([requests?.get('program'), requests?.get('data')]).toEqual([cell('p'), table('b')]);
});

test('columns are listed for the selected node or edge', async () => {
  const column = {
    source: table('a'),
    sourceField: 'x',
    target: table('b'),
    targetField: 'y',
    program: cell('p'),
    transformation: 'identity' as const
  };
  const answer = lineageOf(table('b'), [
    [table('a'), cell('p')],
    [cell('p'), table('b')]
  ]);
  const model = await shown(server().on('GET', 'lineage', { body: { ...answer, columns: [column] } }));
  await model.selectNode(table('a'));
  expect(model.state.selection.columns).toEqual([column]);
  await model.selectEdge(`${cell('p')}\u241f${table('b')}`);
  expect(model.state.selection.columns).toEqual([column]);
});

test('a declared edge has columns but no runs', async () => {
  const answer = lineageOf(table('b'), [[table('a'), table('b')]]);
  const edges = answer.edges.map(edge => ({ ...edge, access: 'declared' as const, declared: true, runCount: 0 }));
  const column = { source: table('a'), sourceField: 'x', target: table('b'), targetField: 'y' };
  const columns = [{ ...column, program: null, transformation: 'identity' as const }];
  const behind = server().on('GET', 'lineage', { body: { ...answer, edges, columns } });
  const model = await shown(behind);
  await model.selectEdge(`${table('a')}\u241f${table('b')}`);
  expect(model.state.selection.columns).toEqual(columns);
  expect([model.state.selection.runs, behind.count('GET', 'runs')]).toEqual([[], 0]);
});

test('a new run reloads the graph and keeps the selection', async () => {
  const behind = server();
  const fakeFeed = new FakeFeed();
  const model = await shown(behind, fakeFeed);
  await model.selectNode(table('a'));
  fakeFeed.emit('z', { operation: 'access', aspect: null, run: 'r' });
  await waitUntil(() => behind.count('GET', 'lineage') === 2 && !model.state.busy);
  expect(model.state.selection.node?.urn).toBe(table('a'));
  model.dispose();
  expect(fakeFeed.holders).toBe(0);
});

test('metadata changes do not reload the graph', async () => {
  const behind = server();
  const fakeFeed = new FakeFeed();
  const model = await shown(behind, fakeFeed);
  fakeFeed.emit('a', { operation: 'update' });
  await new Promise(resolve => setTimeout(resolve, 500));
  expect(behind.count('GET', 'lineage')).toBe(1);
  model.dispose();
});

test('asOf and direction are sent with the request', async () => {
  const behind = server();
  const model = await shown(behind);
  await model.setOptions({ asOf: '2026-01-02T03:04', direction: 'undirected' });
  const requests = behind.seen.filter(request => request.path.endsWith('lineage')).at(-1)?.query;
  expect(requests?.get('asOf')).toBe(new Date('2026-01-02T03:04').toISOString());
  expect(requests?.get('direction')).toBe('undirected');
  await model.setOptions({ asOf: '' });
  expect(
    behind.seen
      .filter(request => request.path.endsWith('lineage'))
      .at(-1)
      ?.query.has('asOf')
  ).toBe(false);
});

test('the quality of all drawn datasets is read together, and again when one changes', async () => {
  const failing = { [table('b')]: 'failing', [table('a')]: 'warning', [table('a2')]: 'passing' };
  let statuses: object = failing;
  const behind = server().on('POST', 'quality/statuses', () => ({ body: { statuses } }));
  const feed = new FakeFeed();
  const model = await shown(behind, feed);
  await waitUntil(() => model.state.quality.size > 0);
  const trans = nullTranslator.load('');
  const { badges } = createAppearance(model.state, [], 0, trans);
  expect([badges.get(table('b')), badges.get(table('a')), badges.get(table('a2'))]).toEqual([
    [{ text: '✗', title: 'Quality failing', status: 'failing' }],
    [{ text: '▲', title: 'Quality with warnings', status: 'warning' }],
    undefined
  ]);
  const requested = behind.seen.filter(({ path }) => path === 'quality/statuses').map(({ body }) => body as EntityUrns);
  expect(requested.map(({ urns }) => urns.sort())).toEqual([[table('a'), table('a2'), table('b')]]);
  statuses = {};
  feed.emit('b', { aspect: 'quality' });
  await waitUntil(() => model.state.quality.size === 0);
  expect(behind.count('GET', 'lineage')).toBe(1);
  expect(createAppearance(model.state, [], 0, trans).badges.size).toBe(0);
});

test('impact is loaded on request and cleared with the selection', async () => {
  const counts = [{ name: 'dataset', count: 2 }];
  const impact = { total: 2, byType: counts, byOwner: counts, byNamespace: counts, truncated: false };
  const behind = server()
    .on('GET', 'lineage/impact', { body: impact })
    .on('POST', 'lineage/labels', { body: { nodes: [] } });
  const model = await shown(behind);
  await model.loadImpact();
  expect(model.state.selection.impact).toBeNull();
  await model.selectNode(table('b'));
  await model.loadImpact();
  expect(model.state.selection.impact?.counts.total).toBe(2);
  expect(model.state.selection.runs).toHaveLength(1);
  await model.selectNode(cell('p'));
  expect(model.state.selection.impact).toBeNull();
});

test('a wide fan is a cluster that opens in pages', async () => {
  const many = Array.from({ length: 300 }, (_, at): [string, string] => [table('b'), cell(`out${at}`)]);
  const first = lineageOf(table('b'), [[cell('p'), table('b')]], { [table('b')]: [0, 300] });
  const wide = lineageOf(table('b'), [[cell('p'), table('b')], ...many]);
  const behind = server().on('GET', 'lineage', ({ query }) => ({
    body: query.get('direction') === 'downstream' ? wide : first
  }));
  const model = await shown(behind);
  await model.expand(table('b'), 'downstream');
  const urn = getClusterUrn(table('b'), 'downstream');
  const countMembers = (): number | undefined => model.state.scene.nodes.get(urn)?.node.members?.length;
  expect([model.state.whole.nodes.length, countMembers()]).toEqual([302, 300 - FIRST_PAGE]);
  await model.openGroup(urn);
  expect(countMembers()).toBe(300 - FIRST_PAGE - NEXT_PAGE);
  await model.reveal(cell('out299'));
  expect(model.state.selection.node?.urn).toBe(cell('out299'));
  await model.setOptions({ levels: 2 });
  expect(model.state.scene.nodes.has(urn)).toBe(false);
});

test('a collapsed side counts what it hides, and expands without a request', async () => {
  const behind = server();
  const model = await shown(behind);
  await model.collapse(cell('p'), 'upstream');
  const { nodes } = model.state.scene;
  expect([...nodes.keys()].sort()).toEqual([cell('p'), table('b')].sort());
  expect(nodes.get(cell('p'))?.node.notShown.upstream).toBe(2);
  await model.expand(cell('p'), 'upstream');
  expect(model.state.scene.nodes.size).toBe(4);
  expect(behind.count('GET', 'lineage')).toBe(1);
});

test('a time before the entity existed shows an empty graph', async () => {
  const present = lineageOf(table('b'), [[table('a'), table('b')]]);
  const behind = server().on('GET', 'lineage', ({ query }) =>
    query.has('asOf') ? problem(404, 'not known') : { body: present }
  );
  const model = await shown(behind);
  expect(model.state.scene.nodes.size).toBe(2);
  await model.setOptions({ asOf: '2020-01-02T03:04' });
  expect(model.state.scene.nodes.size).toBe(0);
  expect([model.state.isUnknownThen, model.state.problem]).toEqual([true, null]);
  await model.setOptions({ asOf: '' });
  expect([model.state.scene.nodes.size, model.state.isUnknownThen]).toEqual([2, false]);
});

/** A worker that answers on demand. */
class SlowWorker {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  readonly tasks: ITask[] = [];

  postMessage(task: ITask): void {
    this.tasks.push(task);
  }

  /** Answers the oldest task. */
  answer(): void {
    const { id, graph } = this.tasks.shift()!;
    this.onmessage?.({ data: { id, layout: packLayout(computeLayout(unpackGraph(graph))) } });
  }

  terminate(): void {
    this.tasks.length = 0;
  }
}

test('a grouping that is chosen while the graph is laid out is not lost', async () => {
  const answer = lineageOf(table('b'), [
    [cell('nb.ipynb#x'), table('b')],
    [cell('nb.ipynb#y'), table('b')]
  ]);
  const worker = new SlowWorker();
  const behind = new FakeServer().on('GET', 'lineage', { body: answer });
  const model = modelOn(behind, null, new Layouter(() => worker as unknown as Worker));
  model.show();
  await waitUntil(() => worker.tasks.length === 1);
  worker.answer();
  await waitUntil(() => model.state.answered);
  // A change of the catalog has loaded the graph again; its layout is not finished.
  const refreshed = model.refresh();
  await waitUntil(() => worker.tasks.length === 1);
  const grouped = model.setOptions({ grouping: 'notebook' });
  await waitUntil(() => worker.tasks.length === 2);
  worker.answer();
  await waitUntil(() => worker.tasks.length === 2);
  worker.answer();
  worker.answer();
  await Promise.all([refreshed, grouped]);
  expect([...model.state.scene.nodes.values()].filter(({ node }) => node.members)).toHaveLength(1);
});

test('a link to an earlier time keeps the range of times from the first run to now', async () => {
  const model = modelOn(server());
  await model.applyView('asOf=2099-01-02T03:04:00.000Z');
  expect(model.state.timeRange).not.toBeNull();
});

test('what others add is news for a while, what the user expands is not', async () => {
  const behind = server();
  const fakeFeed = new FakeFeed();
  const model = await shown(behind, fakeFeed);
  await model.expand(table('a'), 'upstream');
  expect(model.state.news).toBeNull();
  behind.on('GET', 'lineage', { body: lineageOf(table('b'), [[cell('q'), table('b')]]) });
  fakeFeed.emit('z', { operation: 'access', aspect: null, run: 'r' });
  await waitUntil(() => model.state.news !== null);
  expect(model.state.news).toMatchObject({ nodes: 1, edges: 1 });
  model.dispose();
});

test('a path is drawn although its nodes are in a cluster', async () => {
  const many = Array.from({ length: 40 }, (_, at): [string, string] => [table('b'), cell(`out${at}`)]);
  const path = lineageOf(table('b'), [[table('b'), cell('out39')]]);
  const behind = server()
    .on('GET', 'lineage', { body: lineageOf(table('b'), many) })
    .on('GET', 'lineage/path', ({ query }) => ({
      body: {
        from: query.get('from'),
        to: query.get('to'),
        levels: query.get('from') === table('b') ? 1 : null,
        count: 1,
        nodes: path.nodes,
        edges: path.edges
      }
    }));
  const model = await shown(behind);
  await model.reveal(cell('out39'));
  model.startPath(model.state.selection.node);
  await model.showPath(table('b'));
  // Data flows from b: the path is searched in the other direction, too.
  expect(model.state.path).toMatchObject({ from: table('b'), to: cell('out39'), count: 1 });
  await model.setOptions({ levels: 2 });
  expect(model.state.scene.nodes.has(cell('out39'))).toBe(true);
  await model.clearPath();
  expect([model.state.path, model.state.scene.nodes.has(cell('out39'))]).toEqual([null, false]);
});

test('the impact is saved as CSV without formulas', () => {
  const [node] = lineageOf(table('b'), []).nodes;
  const entity = { node: { ...node!, title: '=1+1, "x"' }, owner: 'ada', last: '2026-01-02T03:04:05.000Z' };
  expect(formatImpactCsv([entity]).split('\r\n')).toEqual([
    'type,namespace,name,level,owner,last,urn',
    `dataset,${node!.namespace},"'=1+1, ""x""",0,ada,2026-01-02T03:04:05.000Z,"${table('b')}"`,
    ''
  ]);
});

test('a link contains the options and restores them', () => {
  const options = {
    ...DEFAULT_OPTIONS,
    levels: 3,
    grouping: 'notebook' as const,
    colouring: 'tag' as const,
    columns: true,
    control: false,
    asOf: '2026-01-02T03:04:00.000'
  };
  expect(parseView(formatView({ options })).options).toEqual(options);
  expect(parseView('levels=99&group=nonsense&asOf=never').options).toEqual(DEFAULT_OPTIONS);
});

test('a view has what is expanded, opened, collapsed and picked, and invalid parts are ignored', () => {
  const view = {
    options: { ...DEFAULT_OPTIONS, grouping: 'namespace' as const },
    expanded: [{ urn: table('a'), side: 'upstream' as const }],
    folding: {
      grouping: 'namespace' as const,
      openGroups: new Set(['group:namespace shop']),
      pages: new Map([[getClusterUrn(table('b'), 'downstream'), 62]]),
      collapsed: new Set([`downstream ${table('a')}`]),
      kept: new Set([cell('nb.ipynb#x')])
    },
    path: { from: table('a'), to: table('b') }
  };
  expect(parseView(formatView(view))).toEqual(view);
  expect(parseView('expanded=sideways&expanded=left%20x&shown=many%20x&path=x')).toMatchObject({
    expanded: [],
    folding: { pages: new Map() },
    path: null
  });
});

test('a view that is applied in another tab shows the same graph', async () => {
  const behind = server().on('GET', 'lineage/path', ({ query }) => {
    const { nodes, edges } = lineageOf(table('a'), [[table('a'), cell('p')]]);
    return { body: { from: query.get('from'), to: query.get('to'), levels: 1, count: 1, nodes, edges } };
  });
  const first = await shown(behind);
  await first.expand(table('a'), 'upstream');
  await first.setOptions({ colouring: 'type', interval: { kind: 'week' } });
  await first.collapse(table('a2'), 'downstream');
  await first.selectNode(table('a'));
  first.startPath(first.state.selection.node);
  await first.showPath(cell('p'));
  const second = modelOn(behind);
  await second.applyArguments({ urn: table('b'), view: first.view });
  expect([...second.state.scene.nodes.keys()]).toEqual([...first.state.scene.nodes.keys()]);
  expect(second.state.options).toEqual(first.state.options);
  expect(second.state.path).toMatchObject({ from: table('a'), to: cell('p'), count: 1 });
  expect(second.view).toBe(first.view);
});

test('a view whose path is gone shows the graph and the problem', async () => {
  const behind = server().on('GET', 'lineage/path', problem(404, 'not-found'));
  const model = modelOn(behind);
  await model.applyView(formatView({ options: DEFAULT_OPTIONS, path: { from: table('a'), to: table('gone') } }));
  expect(model.state.scene.nodes.size).toBe(4);
  expect([model.state.path, model.state.problem?.kind]).toEqual([null, 'not-found']);
});

test('a direction and a number of levels keep the other options', async () => {
  const behind = server();
  const model = await shown(behind);
  await model.setOptions({ colouring: 'type' });
  await model.applyArguments({ urn: table('b'), direction: 'upstream', levels: 3 });
  const { query } = behind.seen.filter(request => request.path.endsWith('lineage')).at(-1)!;
  expect([query.get('direction'), query.get('levels'), model.state.options.colouring]).toEqual([
    'upstream',
    '3',
    'type'
  ]);
  const count = behind.count('GET', 'lineage');
  await model.applyArguments({ urn: table('b'), direction: 'nonsense', levels: 99 });
  expect(behind.count('GET', 'lineage')).toBe(count);
});

test('the runs on the drawn edges are exported in pages, one event a line', async () => {
  const answer = lineageOf(table('b'), [
    [table('a'), cell('p')],
    [cell('p'), table('b')]
  ]);
  const runs = Array.from({ length: 250 }, (_, at) => `urn:li:dataProcessInstance:${at}`);
  const edges = answer.edges.map(edge => ({ ...edge, runs }));
  const pages: number[] = [];
  const behind = new FakeServer()
    .on('GET', 'lineage', { body: { ...answer, edges } })
    .on('POST', 'lineage/events', ({ body }) => {
      const { runs: page } = body as { runs: string[] };
      pages.push(page.length);
      // The server answers with at most 150 of them.
      return { body: { events: page.slice(0, 150).map(run => ({ run })), remaining: page.slice(150) } };
    });
  const model = await shown(behind);
  const lines = (await model.exportRunEvents())?.split('\n') ?? [];
  expect(lines.slice(0, -1).map(line => (JSON.parse(line) as { run: string }).run)).toEqual(runs);
  expect(pages).toEqual([200, 100]);
  behind.on('POST', 'lineage/events', problem(403, 'access-denied'));
  expect(await model.exportRunEvents()).toBeNull();
  expect(model.state.problem).not.toBeNull();
});

test('edges that differ between two times are marked, with what differs', async () => {
  const story = lineageOf(table('b'), [
    [table('a'), cell('p')],
    [cell('p'), table('b')],
    [table('old'), cell('p')]
  ]);
  const [read, written, old] = story.edges;
  const difference = { added: [read], removed: [old], changed: [{ edge: written, changes: ['columns', 'program'] }] };
  const behind = server().on('GET', 'lineage/diff', { body: { ...story, ...difference } });
  const model = await shown(behind);
  await model.setOptions({ since: '2026-01-02T03:04' });
  const { comparison, whole } = model.state;
  const trans = nullTranslator.load('jupyter_colophon');
  const words = story.edges.map(edge => describeChange(comparison!, getEdgeId(edge), trans));
  expect(words).toEqual(['added', 'changed: columns, code of the program', 'removed']);
  // The removed edge is drawn although it is no longer in the graph.
  expect(whole.edges.map(getEdgeId)).toContain(getEdgeId(old!));
  expect(createDocument(whole, model.state.options, comparison).difference).toMatchObject(difference);
  await model.setOptions({ since: '' });
  expect(model.state.comparison).toBeNull();
});
