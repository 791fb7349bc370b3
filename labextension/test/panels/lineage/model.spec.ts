import { expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { FIRST_PAGE, getClusterUrn, NEXT_PAGE } from '../../../src/lineage/fold';
import { Layouter } from '../../../src/lineage/layouter';
import { LineageModel } from '../../../src/panels/lineage/model';
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

function modelOn(behind: FakeServer, fakeFeed: FakeFeed | null = null): LineageModel {
  const current = new Layouter(() => {
    throw new Error('no workers in here');
  });
  return new LineageModel(new Catalog(behind.settings), fakeFeed?.feed ?? null, current, table('b'), 1);
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
  let requests = behind.seen.at(-1)?.query;
  expect([requests?.get('program'), requests?.get('data'), requests?.get('start')]).toEqual([
    cell('p'),
    null,
    'now-1h'
  ]);
  expect(model.state.selection.runs?.map(run => run.runId)).toEqual(['p']);
  await model.selectEdge(`${cell('p')}\u241f${table('b')}`);
  requests = behind.seen.at(-1)?.query;
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
