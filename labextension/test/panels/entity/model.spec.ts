import { expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { EntityModel } from '../../../src/panels/entity/model';
import { SpokenFeed } from '../../support/feed';
import { entityOf, FakeServer, PEOPLE, problem, runOf, table } from '../../support/server';
import { until } from '../../support/waiting';

const URN = table('a');
const VALUE = { properties: {}, tags: ['faa'] };

function server(scopes: string[] = ['read', 'annotate']): FakeServer {
  const version = { version: 1, deleted: false, value: VALUE, actor: 'ada', via: null, time: '', diff: [] };
  return new FakeServer()
    .on('GET', `entities/${URN}`, { body: entityOf('a', VALUE) })
    .on('GET', 'registry/dataset', { body: { type: 'dataset', title: 'D', keyAspect: 'k', aspects: [PEOPLE] } })
    .on('GET', 'me', { body: { user: {}, via: null, scopes, version: '0' } })
    .on('GET', 'runs', ({ query }) => ({
      body: query.get('cursor') ? { runs: [runOf('old')], cursor: null } : { runs: [runOf('new')], cursor: 'c' }
    }))
    .on('GET', `entities/${URN}/aspects/datasetProfile/values`, { body: { values: [] } })
    .on('GET', `entities/${URN}/fields/metadata`, { body: { urn: URN, fields: [], cursor: null } })
    .on('GET', `entities/${URN}/aspects/businessMetadata/versions`, { body: { versions: [version], cursor: null } })
    .on('PUT', `entities/${URN}/aspects/businessMetadata`, { body: {} });
}

async function shown(behind: FakeServer, spoken: SpokenFeed | null = null): Promise<EntityModel> {
  const model = new EntityModel(new Catalog(behind.settings), spoken?.feed ?? null, URN);
  model.show();
  await until(() => model.state.history !== null && model.state.runs !== null);
  return model;
}

test('the page brings the entity, its runs and the history of what people wrote', async () => {
  const model = await shown(server());
  expect(model.state.entity?.name).toBe('a');
  expect(model.state.runs?.map(run => run.runId)).toEqual(['new']);
  expect(model.state.history).toMatchObject({ aspect: 'businessMetadata' });
  expect(model.state.mayEdit).toBe(true);
});

test('the runs of a dataset are those that touched it, those of a program its own', async () => {
  const behind = server();
  await shown(behind);
  expect(behind.seen.find(seen => seen.path === 'runs')?.query.get('data')).toBe(URN);
});

test('who may only read cannot edit', async () => {
  expect((await shown(server(['read']))).state.mayEdit).toBe(false);
});

test('older runs are added', async () => {
  const model = await shown(server());
  await model.moreRuns();
  expect(model.state.runs?.map(run => run.runId)).toEqual(['new', 'old']);
  expect(model.state.runsCursor).toBeNull();
});

test('a save closes the form and shows what was saved', async () => {
  const behind = server();
  const model = await shown(behind);
  model.edit(PEOPLE);
  expect(model.dirty).toBe(false);
  model.state.editor?.edit({ ...VALUE, tags: ['raw'] });
  expect(model.dirty).toBe(true);
  const before = behind.count('GET', `entities/${URN}`);
  await model.state.editor?.save();
  expect(model.state.editor).toBeNull();
  await until(() => behind.count('GET', `entities/${URN}`) === before + 1);
});

test('what somebody else changes appears, and a form that is open is told of it and kept', async () => {
  const behind = server();
  const spoken = new SpokenFeed();
  const model = await shown(behind, spoken);
  model.edit(PEOPLE);
  model.state.editor?.edit({ ...VALUE, tags: ['mine'] });
  behind.on('GET', `entities/${URN}`, { body: entityOf('a', { properties: {}, tags: ['theirs'] }, 2) });
  spoken.tell('a');
  await until(() => model.state.entity?.aspects['businessMetadata']?.version === 2);
  expect(model.state.editor?.state).toMatchObject({ newer: 'bob', draft: { tags: ['mine'] } });
});

test('changes of other entities ask for nothing', async () => {
  const behind = server();
  const spoken = new SpokenFeed();
  const model = await shown(behind, spoken);
  const before = behind.seen.length;
  spoken.tell('b');
  spoken.tell('a');
  await until(() => behind.count('GET', `entities/${URN}`) === 2);
  await until(() => !model.state.busy);
  expect(behind.seen.length - before).toBe(7);
  model.dispose();
  expect(spoken.holders).toBe(0);
});

test('an entity that is not there says so, with the runs that are', async () => {
  const behind = server().on('GET', `entities/${URN}`, problem(404, 'no such entity'));
  const model = new EntityModel(new Catalog(behind.settings), null, URN);
  model.show();
  await until(() => model.state.runs !== null);
  expect(model.state).toMatchObject({ entity: null, problem: { kind: 'absent' } });
});

test('the newest profile is shown with the share of nulls, and what is no figure is left out', async () => {
  const fieldProfiles = [
    {
      fieldPath: 'a',
      nullCount: 1,
      nullProportion: 0.25,
      uniqueCount: 3,
      min: '1',
      max: '9',
      mean: '4.5',
      stdev: '2.0',
      quantiles: [
        { quantile: '0.25', value: '3' },
        { quantile: '0.5', value: '5' },
        { quantile: '0.75', value: '11' }
      ]
    },
    {
      fieldPath: 'day',
      min: '2026-01-01',
      max: '2026-01-05',
      median: '2026-01-03',
      quantiles: [
        { quantile: '0.25', value: '2026-01-02' },
        { quantile: '0.75', value: '2026-01-04' }
      ]
    },
    { fieldPath: 'hidden', nullCount: 0, nullProportion: 7, uniqueCount: 'many' },
    'no column'
  ];
  const value = {
    timestampMillis: 1,
    rowCount: 4,
    fieldProfiles,
    partitionSpec: { type: 'QUERY', partition: 'SAMPLE' }
  };
  const stamp = '2026-11-22T09:00:00.000Z';
  const behind = server().on('GET', `entities/${URN}/aspects/datasetProfile/values`, ({ query }) => ({
    body: { values: query.get('limit') === '1' ? [{ time: stamp, recorded: stamp, actor: 'ada', value }] : [] }
  }));
  const model = await shown(behind);
  await until(() => model.state.profile !== null);
  expect(model.state.profile).toEqual({
    time: stamp,
    rows: 4,
    bytes: undefined,
    part: 'SAMPLE',
    columns: [
      {
        ...{ path: 'a', nulls: 1, nullShare: 0.25, distinct: 3, least: '1', most: '9', mean: '4.5', deviation: '2.0' },
        // A sketch may be a little wrong: nothing is drawn outside.
        spread: { low: '3', middle: '5', high: '11', places: [0.25, 0.5, 1] }
      },
      {
        ...{ path: 'day', least: '2026-01-01', most: '2026-01-05' },
        spread: { low: '2026-01-02', middle: '2026-01-03', high: '2026-01-04', places: [0.25, 0.5, 0.75] }
      },
      { path: 'hidden', nulls: 0, nullShare: 1 }
    ]
  });
});
