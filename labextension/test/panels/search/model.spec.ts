import { expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { SearchModel } from '../../../src/panels/search/model';
import { SpokenFeed } from '../../support/feed';
import { answerOf, FakeServer, hit, problem } from '../../support/server';
import { until } from '../../support/waiting';

const OWNER = { key: 'owner', kind: 'property', scope: 'USER', entities: 1 };

function server(): FakeServer {
  return new FakeServer()
    .on('GET', 'keys', ({ query }) => ({ body: { keys: query.get('prefix') ? [] : [OWNER], cursor: null } }))
    .on('GET', 'changes', { body: { cursor: 5, changes: [] } })
    .on('GET', 'search', ({ query }) => ({
      body:
        query.get('cursor') === 'next'
          ? answerOf([hit('b', [])])
          : answerOf([hit('a', [{ key: 'owner', value: 'ops', scope: 'USER' }])], 'next')
    }));
}

test('nothing is asked before the panel is shown; then every key is listed', async () => {
  const behind = server();
  const model = new SearchModel(new Catalog(behind.settings), null);
  expect(behind.seen).toEqual([]);
  model.show();
  await until(() => model.state.answered);
  expect(model.state.keys.map(key => [key.key, key.entities])).toEqual([['owner', 1]]);
  expect(model.state.hits).toEqual([]);
});

test('typing lists the keys that carry the text, then the entities', async () => {
  const behind = server();
  const model = new SearchModel(new Catalog(behind.settings), null);
  model.type('op');
  model.type('ops');
  await until(() => model.state.hits.length > 0);
  expect(behind.seen.find(seen => seen.path === 'search')?.query.get('q')).toBe('ops*');
  expect(behind.count('GET', 'search')).toBe(1);
  expect(model.state.keys).toEqual([{ ...OWNER, entities: undefined, values: ['ops'] }]);
  expect(model.state.hits[0]?.name).toBe('a');
});

test('picking a key lists what carries it', async () => {
  const behind = server();
  const model = new SearchModel(new Catalog(behind.settings), null);
  await model.pick({ key: 'owner', kind: 'property' });
  expect(behind.seen[0]?.query.get('q')).toBe('owner:*');
  expect(model.state).toMatchObject({ text: 'owner:*', keys: [], total: 1 });
});

test('more adds the next page', async () => {
  const model = new SearchModel(new Catalog(server().settings), null);
  await model.pick({ key: 'owner', kind: 'property' });
  await model.more();
  expect(model.state.hits.map(one => one.name)).toEqual(['a', 'b']);
  expect(model.state.cursor).toBeNull();
});

test('an answer that comes late does not overwrite a newer one', async () => {
  let release = (): void => undefined;
  const behind = server().on('GET', 'search', async ({ query }) => {
    if (query.get('q') === 'slow:*') {
      await new Promise<void>(resolve => (release = resolve));
      return { body: answerOf([hit('slow', [])]) };
    }
    return { body: answerOf([hit('quick', [])]) };
  });
  const model = new SearchModel(new Catalog(behind.settings), null);
  const slow = model.pick({ key: 'slow', kind: 'property' });
  await until(() => behind.seen.length === 1);
  await model.pick({ key: 'quick', kind: 'property' });
  release();
  await slow;
  expect(model.state.hits.map(one => one.name)).toEqual(['quick']);
});

test('a query that is not one says why, and the next answer takes that away', async () => {
  const behind = server().on('GET', 'search', problem(400, '* can only stand at the end'));
  const model = new SearchModel(new Catalog(behind.settings), null);
  await model.pick({ key: 'a', kind: 'property' });
  expect(model.state.problem).toMatchObject({ kind: 'invalid', message: '* can only stand at the end' });
  behind.on('GET', 'search', { body: answerOf([]) });
  await model.refresh();
  expect(model.state.problem).toBeNull();
});

test('where a search fails, the hits of the one before do not stay as if they were its own', async () => {
  const behind = server();
  const model = new SearchModel(new Catalog(behind.settings), null);
  await model.pick({ key: 'owner', kind: 'property' });
  const down = problem(503, 'the store is away');
  behind.on('GET', 'search', down);
  await model.refresh();
  expect(model.state).toMatchObject({ problem: { kind: 'store' }, total: 1 });
  model.type('another');
  await until(() => model.state.hits.length === 0);
  await until(() => !model.state.busy);
  expect(model.state).toMatchObject({ problem: { kind: 'store' }, answered: false, cursor: null, facets: {} });
  behind.on('GET', 'search', { body: answerOf([hit('b')]) });
  await model.refresh();
  expect(model.state).toMatchObject({ problem: null, answered: true, total: 1 });
});

test('a change elsewhere makes a shown panel ask again, and a hidden one not', async () => {
  const behind = server();
  const spoken = new SpokenFeed();
  const model = new SearchModel(new Catalog(behind.settings), spoken.feed);
  model.show();
  await until(() => model.state.answered);
  expect(spoken.holders).toBe(1);
  const before = behind.count('GET', 'keys');
  spoken.tell('a');
  await until(() => behind.count('GET', 'keys') === before + 1);
  model.hide();
  expect(spoken.holders).toBe(0);
});

test('without a server extension nothing is listened to', async () => {
  const spoken = new SpokenFeed();
  const model = new SearchModel(new Catalog(new FakeServer().settings), spoken.feed);
  model.show();
  await until(() => model.state.problem !== null);
  expect(model.state.problem?.kind).toBe('no-extension');
  expect(spoken.holders).toBe(0);
});

test('opened and closed twenty times, it holds no connection', async () => {
  const spoken = new SpokenFeed();
  for (let time = 0; time < 20; time++) {
    const model = new SearchModel(new Catalog(server().settings), spoken.feed);
    model.show();
    await until(() => model.state.answered);
    model.dispose();
  }
  expect(spoken.holders).toBe(0);
});
