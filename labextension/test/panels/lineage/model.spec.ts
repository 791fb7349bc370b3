import { expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { Layouter } from '../../../src/lineage/layouter';
import { LineageModel, NODES_MOST } from '../../../src/panels/lineage/model';
import { SpokenFeed } from '../../support/feed';
import { cell, FakeServer, lineageOf, problem, runOf, table } from '../../support/server';
import { until } from '../../support/waiting';

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

function modelOn(behind: FakeServer, spoken: SpokenFeed | null = null): LineageModel {
  const here = new Layouter(() => {
    throw new Error('no workers in here');
  });
  return new LineageModel(new Catalog(behind.settings), spoken?.feed ?? null, here, table('b'), 1);
}

async function shown(behind: FakeServer, spoken: SpokenFeed | null = null): Promise<LineageModel> {
  const model = modelOn(behind, spoken);
  model.show();
  await until(() => model.state.answered);
  return model;
}

test('a graph opens with the levels it was told and is laid out', async () => {
  const behind = server();
  const model = await shown(behind);
  expect(behind.seen[0]?.query.get('levels')).toBe('1');
  expect([...model.state.scene.nodes.keys()]).toEqual([cell('p'), table('a'), table('a2'), table('b')]);
});

test('expanding a node adds what it hid, and its plus goes', async () => {
  const behind = server();
  const model = await shown(behind);
  await model.expand(table('a'), 'upstream');
  const asked = behind.seen.map(seen => `${seen.query.get('urn')} ${seen.query.get('direction')}`);
  expect(asked).toContain(`${table('a')} upstream`);
  expect(model.state.scene.nodes.has(cell('x'))).toBe(true);
  expect(model.state.scene.nodes.get(table('a'))?.node.notShown.upstream).toBe(0);
});

test('a program that comes in is joined to all it touched that is shown, and to nothing else', async () => {
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

test('a side that hides nothing asks for nothing', async () => {
  const behind = server();
  const model = await shown(behind);
  await model.expand(table('b'), 'downstream');
  expect(behind.count('GET', 'lineage')).toBe(1);
});

test('what was expanded stays when the time changes, and is folded when the levels do', async () => {
  const model = await shown(server());
  await model.expand(table('a'), 'upstream');
  await model.choose({ interval: { kind: 'day' } });
  expect(model.state.scene.nodes.has(cell('x'))).toBe(true);
  await model.choose({ levels: 2 });
  expect(model.state.scene.nodes.has(cell('x'))).toBe(false);
});

test('a picked program brings its runs in the interval, a picked edge those that touched its data', async () => {
  const behind = server();
  const model = await shown(behind);
  await model.choose({ interval: { kind: 'hour' } });
  await model.pickNode(cell('p'));
  let asked = behind.seen.at(-1)?.query;
  expect([asked?.get('program'), asked?.get('data'), asked?.get('start')]).toEqual([cell('p'), null, 'now-1h']);
  expect(model.state.selection.runs?.map(run => run.runId)).toEqual(['p']);
  await model.pickEdge(`${cell('p')}\u241f${table('b')}`);
  asked = behind.seen.at(-1)?.query;
  expect([asked?.get('program'), asked?.get('data')]).toEqual([cell('p'), table('b')]);
});

test('columns are listed with the node and the edge they belong to', async () => {
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
  await model.pickNode(table('a'));
  expect(model.state.selection.columns).toEqual([column]);
  await model.pickEdge(`${cell('p')}\u241f${table('b')}`);
  expect(model.state.selection.columns).toEqual([column]);
});

test('a declared edge leads from data to data: its columns name no program, and no runs are asked for', async () => {
  const answer = lineageOf(table('b'), [[table('a'), table('b')]]);
  const edges = answer.edges.map(edge => ({ ...edge, access: 'declared' as const, declared: true, runCount: 0 }));
  const column = { source: table('a'), sourceField: 'x', target: table('b'), targetField: 'y' };
  const columns = [{ ...column, program: null, transformation: 'identity' as const }];
  const behind = server().on('GET', 'lineage', { body: { ...answer, edges, columns } });
  const model = await shown(behind);
  await model.pickEdge(`${table('a')}\u241f${table('b')}`);
  expect(model.state.selection.columns).toEqual(columns);
  expect([model.state.selection.runs, behind.count('GET', 'runs')]).toEqual([[], 0]);
});

test('a run elsewhere makes the graph ask again and keeps what is picked', async () => {
  const behind = server();
  const spoken = new SpokenFeed();
  const model = await shown(behind, spoken);
  await model.pickNode(table('a'));
  spoken.tell('z', { operation: 'access', aspect: null, run: 'r' });
  await until(() => behind.count('GET', 'lineage') === 2 && !model.state.busy);
  expect(model.state.selection.node?.urn).toBe(table('a'));
  model.dispose();
  expect(spoken.holders).toBe(0);
});

test('a note that somebody wrote does not redraw the graph', async () => {
  const behind = server();
  const spoken = new SpokenFeed();
  const model = await shown(behind, spoken);
  spoken.tell('a', { operation: 'update' });
  await new Promise(resolve => setTimeout(resolve, 500));
  expect(behind.count('GET', 'lineage')).toBe(1);
  model.dispose();
});

test('what the catalog knew at a time is asked for as such, and all that the same programs touched', async () => {
  const behind = server();
  const model = await shown(behind);
  await model.choose({ asOf: '2026-01-02T03:04', direction: 'undirected' });
  const asked = behind.seen.filter(seen => seen.path.endsWith('lineage')).at(-1)?.query;
  expect(asked?.get('asOf')).toBe(new Date('2026-01-02T03:04').toISOString());
  expect(asked?.get('direction')).toBe('undirected');
  await model.choose({ asOf: '' });
  expect(
    behind.seen
      .filter(seen => seen.path.endsWith('lineage'))
      .at(-1)
      ?.query.has('asOf')
  ).toBe(false);
});

test('what depends on a node is counted when somebody asks, and goes with the next node', async () => {
  const counts = [{ name: 'dataset', count: 2 }];
  const impact = { total: 2, byType: counts, byOwner: counts, byNamespace: counts, truncated: false };
  const behind = server().on('GET', 'lineage/impact', { body: impact });
  const model = await shown(behind);
  await model.weigh();
  expect(model.state.selection.impact).toBeNull();
  await model.pickNode(table('b'));
  await model.weigh();
  expect(model.state.selection.impact?.total).toBe(2);
  expect(model.state.selection.runs).toHaveLength(1);
  await model.pickNode(cell('p'));
  expect(model.state.selection.impact).toBeNull();
});

test('an expansion that finds no room says what stays hidden', async () => {
  const many = Array.from({ length: 300 }, (_, at): [string, string] => [table('b'), cell(`out${at}`)]);
  const first = lineageOf(table('b'), [[cell('p'), table('b')]], { [table('b')]: [0, 1300] });
  const wide = lineageOf(table('b'), [[cell('p'), table('b')], ...many], { [table('b')]: [0, 1000] });
  const behind = server().on('GET', 'lineage', ({ query }) => ({
    body: query.get('direction') === 'downstream' ? wide : first
  }));
  const model = await shown(behind);
  expect(model.state.full).toBeNull();
  await model.expand(table('b'), 'downstream');
  const { scene, full } = model.state;
  expect(scene.nodes.size).toBe(NODES_MOST);
  const drawn = scene.graph.edges.filter(edge => edge.source === table('b')).length;
  expect([full?.node.urn, full?.side, full?.node.notShown.downstream]).toEqual([
    table('b'),
    'downstream',
    1300 - drawn
  ]);
  await model.choose({ levels: 2 });
  expect(model.state.full).toBeNull();
});

test('of a time before the entity was known an empty graph is shown, not the present one', async () => {
  const present = lineageOf(table('b'), [[table('a'), table('b')]]);
  const behind = server().on('GET', 'lineage', ({ query }) =>
    query.has('asOf') ? problem(404, 'not known') : { body: present }
  );
  const model = await shown(behind);
  expect(model.state.scene.nodes.size).toBe(2);
  await model.choose({ asOf: '2020-01-02T03:04' });
  expect(model.state.scene.nodes.size).toBe(0);
  expect([model.state.unknownThen, model.state.problem]).toEqual([true, null]);
  await model.choose({ asOf: '' });
  expect([model.state.scene.nodes.size, model.state.unknownThen]).toEqual([2, false]);
});
