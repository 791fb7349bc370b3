import { expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { SearchModel } from '../../../src/panels/search/model';
import { parseTerms } from '../../../src/model/search/query-terms';
import { FakeFeed } from '../../support/feed';
import { answerOf, FakeServer, hit, problem } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

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

test('showing the panel lists recent changes', async () => {
  const behind = server();
  const model = new SearchModel(new Catalog(behind.settings), null);
  expect(behind.seen).toEqual([]);
  model.show();
  await waitUntil(() => model.state.answered);
  expect(behind.count('GET', 'changes')).toBe(2);
  expect(model.state.hits).toEqual([]);
});

test('typing lists matching entities, with one request', async () => {
  const behind = server();
  const model = new SearchModel(new Catalog(behind.settings), null);
  model.setText('op');
  model.setText('ops');
  await waitUntil(() => model.state.hits.length > 0);
  expect(behind.seen.find(request => request.path === 'search')?.query.get('q')).toBe('ops*');
  expect(behind.count('GET', 'search')).toBe(1);
  expect(model.state.hits[0]?.name).toBe('a');
});

test('a complete query is searched as it is', async () => {
  const behind = server();
  const model = new SearchModel(new Catalog(behind.settings), null);
  await model.search('owner:*');
  expect(behind.seen[0]?.query.get('q')).toBe('owner:*');
  expect(model.state).toMatchObject({ text: 'owner:*', total: 1 });
});

test('more adds the next page', async () => {
  const model = new SearchModel(new Catalog(server().settings), null);
  await model.search('owner:*');
  await model.loadMore();
  expect(model.state.hits.map(item => item.name)).toEqual(['a', 'b']);
  expect(model.state.cursor).toBeNull();
});

test('a late answer does not replace a newer one', async () => {
  let release = (): void => undefined;
  const behind = server().on('GET', 'search', async ({ query }) => {
    if (query.get('q') === 'slow:*') {
      await new Promise<void>(resolve => (release = resolve));
      return { body: answerOf([hit('slow', [])]) };
    }
    return { body: answerOf([hit('quick', [])]) };
  });
  const model = new SearchModel(new Catalog(behind.settings), null);
  const slow = model.search('slow:*');
  await waitUntil(() => behind.seen.length === 1);
  await model.search('quick:*');
  release();
  await slow;
  expect(model.state.hits.map(item => item.name)).toEqual(['quick']);
});

test('an invalid query is reported until the next answer', async () => {
  const behind = server().on('GET', 'search', problem(400, '* can only stand at the end'));
  const model = new SearchModel(new Catalog(behind.settings), null);
  await model.search('a:*');
  expect(model.state.problem).toMatchObject({ kind: 'invalid', message: '* can only stand at the end' });
  behind.on('GET', 'search', { body: answerOf([]) });
  await model.refresh();
  expect(model.state.problem).toBeNull();
});

test('a failed search clears the previous hits', async () => {
  const behind = server();
  const model = new SearchModel(new Catalog(behind.settings), null);
  await model.search('owner:*');
  const down = problem(503, 'the store is away');
  behind.on('GET', 'search', down);
  await model.refresh();
  expect(model.state).toMatchObject({ problem: { kind: 'store' }, total: 1 });
  model.setText('another');
  await waitUntil(() => model.state.hits.length === 0);
  await waitUntil(() => !model.state.busy);
  expect(model.state).toMatchObject({ problem: { kind: 'store' }, answered: false, cursor: null, facets: {} });
  behind.on('GET', 'search', { body: answerOf([hit('b')]) });
  await model.refresh();
  expect(model.state).toMatchObject({ problem: null, answered: true, total: 1 });
});

test('changes reload a visible panel only', async () => {
  const behind = server();
  const fakeFeed = new FakeFeed();
  const model = new SearchModel(new Catalog(behind.settings), fakeFeed.feed);
  model.show();
  await waitUntil(() => model.state.answered);
  expect(fakeFeed.holders).toBe(1);
  const before = behind.count('GET', 'changes');
  fakeFeed.emit('a');
  await waitUntil(() => behind.count('GET', 'changes') === before + 2);
  model.hide();
  expect(fakeFeed.holders).toBe(0);
});

test('without the server extension there is no subscription', async () => {
  const fakeFeed = new FakeFeed();
  const model = new SearchModel(new Catalog(new FakeServer().settings), fakeFeed.feed);
  model.show();
  await waitUntil(() => model.state.problem !== null);
  expect(model.state.problem?.kind).toBe('no-extension');
  expect(fakeFeed.holders).toBe(0);
});

test('opening and closing repeatedly leaks no connection', async () => {
  const fakeFeed = new FakeFeed();
  for (let time = 0; time < 20; time++) {
    const model = new SearchModel(new Catalog(server().settings), fakeFeed.feed);
    model.show();
    await waitUntil(() => model.state.answered);
    model.dispose();
  }
  expect(fakeFeed.holders).toBe(0);
});

test('hits are sorted, and a term is removed, with the filters kept', async () => {
  const behind = server();
  const model = new SearchModel(new Catalog(behind.settings), null);
  await model.search('owner:ops', { type: 'dataset' });
  model.setSort('updated');
  await waitUntil(() => behind.seen.at(-1)?.query.get('sort') === 'updated' && !model.state.busy);
  const [term] = parseTerms(model.state.text);
  if (term) {
    model.removeTerm(term);
  }
  await waitUntil(() => behind.seen.at(-1)?.query.get('q') === '*' && !model.state.busy);
  expect(model.state).toMatchObject({ text: '*', filters: { type: 'dataset' } });
});
