import { expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { EntityModel } from '../../../src/panels/entity/model';
import { FakeFeed } from '../../support/feed';
import { entityOf, FakeServer, PEOPLE, problem, runOf, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

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

async function shown(behind: FakeServer, fakeFeed: FakeFeed | null = null): Promise<EntityModel> {
  const model = new EntityModel(new Catalog(behind.settings), fakeFeed?.feed ?? null, URN);
  model.show();
  await waitUntil(() => model.state.histories.size > 0 && model.state.runs !== null);
  return model;
}

test('the page loads entity, runs and user history', async () => {
  const model = await shown(server());
  expect(model.state.entity?.name).toBe('a');
  expect(model.state.runs?.map(run => run.runId)).toEqual(['new']);
  expect([...model.state.histories.keys()]).toEqual(['businessMetadata']);
  expect(model.state.mayEdit).toBe(true);
});

test('runs are listed by dataset or by program', async () => {
  const behind = server();
  await shown(behind);
  expect(behind.seen.find(request => request.path === 'runs')?.query.get('data')).toBe(URN);
});

test('readers cannot edit', async () => {
  expect((await shown(server(['read']))).state.mayEdit).toBe(false);
});

test('the next page of runs is appended', async () => {
  const model = await shown(server());
  await model.loadMoreRuns();
  expect(model.state.runs?.map(run => run.runId)).toEqual(['new', 'old']);
  expect(model.state.runsCursor).toBeNull();
});

test('saving closes the form and shows the new value', async () => {
  const behind = server();
  const model = await shown(behind);
  model.edit(PEOPLE);
  expect(model.isDirty).toBe(false);
  model.state.editor?.edit({ ...VALUE, tags: ['raw'] });
  expect(model.isDirty).toBe(true);
  const before = behind.count('GET', `entities/${URN}`);
  const labels: string[] = [];
  model.saved.connect((_, edit) => void labels.push(edit.label));
  await model.state.editor?.save();
  expect(labels).toEqual(['a']);
  expect(model.state.editor).toBeNull();
  await waitUntil(() => behind.count('GET', `entities/${URN}`) === before + 1);
});

test('changes by others are shown and an open form is kept', async () => {
  const behind = server();
  const fakeFeed = new FakeFeed();
  const model = await shown(behind, fakeFeed);
  model.edit(PEOPLE);
  model.state.editor?.edit({ ...VALUE, tags: ['mine'] });
  behind.on('GET', `entities/${URN}`, { body: entityOf('a', { properties: {}, tags: ['theirs'] }, 2) });
  fakeFeed.emit('a');
  await waitUntil(() => model.state.entity?.aspects['businessMetadata']?.version === 2);
  expect(model.state.editor?.state).toMatchObject({ newerActor: 'bob', draft: { tags: ['mine'] } });
});

test('changes of other entities are ignored', async () => {
  const behind = server();
  const fakeFeed = new FakeFeed();
  const model = await shown(behind, fakeFeed);
  fakeFeed.emit('b');
  fakeFeed.emit('a');
  await waitUntil(() => behind.count('GET', `entities/${URN}`) === 2);
  await waitUntil(() => !model.state.busy);
  expect(behind.count('GET', `entities/${URN}`)).toBe(2);
  model.dispose();
  expect(fakeFeed.holders).toBe(0);
});

test('a missing entity is reported with its runs', async () => {
  const behind = server().on('GET', `entities/${URN}`, problem(404, 'no such entity'));
  const model = new EntityModel(new Catalog(behind.settings), null, URN);
  model.show();
  await waitUntil(() => model.state.runs !== null);
  expect(model.state).toMatchObject({ entity: null, problem: { kind: 'not-found' } });
});

test('the newest profile is read without invalid numbers', async () => {
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
  await waitUntil(() => model.state.profile !== null);
  expect(model.state.profile).toEqual({
    time: stamp,
    rows: 4,
    bytes: undefined,
    partition: 'SAMPLE',
    columns: [
      {
        ...{
          path: 'a',
          isWithheld: false,
          nulls: 1,
          nullShare: 0.25,
          distinct: 3,
          min: '1',
          max: '9',
          mean: '4.5',
          deviation: '2.0'
        },
        // A sketch may be slightly inaccurate: nothing is drawn out of range.
        spread: { low: '3', middle: '5', high: '11', positions: [0.25, 0.5, 1] }
      },
      {
        ...{ path: 'day', isWithheld: false, min: '2026-01-01', max: '2026-01-05' },
        spread: { low: '2026-01-02', middle: '2026-01-03', high: '2026-01-04', positions: [0.25, 0.5, 0.75] }
      },
      { path: 'hidden', isWithheld: false, nulls: 0, nullShare: 1 }
    ]
  });
});
