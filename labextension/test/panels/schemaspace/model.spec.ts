import { expect, test } from 'vitest';
import { Schemaspaces } from '../../../src/api/schemaspaces';
import { InstancesModel } from '../../../src/panels/schemaspace/instances';
import { SchemaspacesModel } from '../../../src/panels/schemaspace/model';
import { FakeFeed } from '../../support/feed';
import { pageOf, rowOf, SPACES } from '../../support/instances';
import { FakeServer, problem } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const LIST = 'schemaspaces/code-snippets/instances';

/** Six hundred instances in pages with cursors. */
function many(total = 600): FakeServer {
  const rows = Array.from({ length: total }, (_, index) => rowOf(`s${index}`));
  return new FakeServer()
    .on('GET', 'schemaspaces', { body: SPACES })
    .on('GET', 'schemaspaces/runtimes/instances', { body: pageOf([]) })
    .on('GET', LIST, ({ query }) => {
      const start = Number(query.get('cursor') ?? 0);
      const end = start + Number(query.get('limit'));
      return { body: pageOf(rows.slice(start, end), total, end < total ? String(end) : null) };
    });
}

function sectionOf(server: FakeServer, fakeFeed?: FakeFeed): InstancesModel {
  return new InstancesModel(new Schemaspaces(server.settings), fakeFeed?.feed ?? null, 'code-snippets');
}

test('showing the panel loads the first section only', async () => {
  const server = many();
  const model = new SchemaspacesModel(new Schemaspaces(server.settings), null);
  expect(server.seen).toEqual([]);
  model.show();
  await waitUntil(() => model.getSection('code-snippets').state.answered);
  expect(model.state.spaces.map(space => space.name)).toEqual(['code-snippets', 'runtimes']);
  expect([...model.state.open]).toEqual(['code-snippets']);
  expect(server.count('GET', 'schemaspaces/runtimes/instances')).toBe(0);
  model.toggle('runtimes');
  await waitUntil(() => model.getSection('runtimes').state.answered);
  model.dispose();
});

test('open sections are restored if they exist', async () => {
  const remembered = (): Promise<string[]> => Promise.resolve(['runtimes', 'gone']);
  const model = new SchemaspacesModel(new Schemaspaces(many().settings), null, remembered);
  model.show();
  await waitUntil(() => model.state.answered);
  expect([...model.state.open]).toEqual(['runtimes']);
  model.dispose();
});

test('pages are loaded on scrolling without duplicates', async () => {
  const server = many();
  const section = sectionOf(server);
  section.show();
  await waitUntil(() => section.state.answered);
  expect([section.state.rows.length, section.state.total]).toEqual([200, 600]);
  await section.loadUpTo(150);
  expect(server.count('GET', LIST)).toBe(1);
  await section.loadUpTo(450);
  expect(section.state.rows.length).toBe(600);
  expect(new Set(section.state.rows.map(row => row.name)).size).toBe(600);
  expect(server.count('GET', LIST)).toBe(2);
  section.dispose();
});

test('a filter reloads from the top and combines tags by or', async () => {
  const server = many();
  const section = sectionOf(server);
  section.show();
  await waitUntil(() => section.state.answered);
  await section.loadUpTo(599);
  section.toggleTag('pandas');
  section.toggleTag('a, b');
  section.filterByValidity('invalid');
  section.sortBy('-time');
  const before = server.count('GET', LIST);
  await waitUntil(() => server.count('GET', LIST) > before && !section.state.busy);
  const { query } = server.seen.at(-1) ?? { query: new URLSearchParams() };
  expect(JSON.parse(query.get('tag') ?? '')).toEqual(['pandas', 'a, b']);
  expect([query.get('valid'), query.get('sort'), query.get('cursor')]).toEqual(['false', '-time', null]);
  expect(section.state.rows.length).toBe(200);
  expect(section.isFiltered).toBe(true);
  section.clearFilters();
  expect(section.isFiltered).toBe(false);
  section.dispose();
});

test('typing loads once after a pause', async () => {
  const server = many();
  const section = sectionOf(server);
  section.setText('p');
  section.setText('pa');
  section.setText('pan ');
  await waitUntil(() => section.state.answered);
  expect(server.seen.map(request => request.query.get('q'))).toEqual(['pan']);
  section.dispose();
});

test('only changes of its instances reload a section', async () => {
  const server = many();
  const fakeFeed = new FakeFeed();
  const section = sectionOf(server, fakeFeed);
  section.show();
  await waitUntil(() => section.state.answered);
  await section.loadUpTo(399);
  const before = server.count('GET', LIST);
  fakeFeed.emit('elsewhere');
  fakeFeed.emit('kfp1', { type: 'instance', urn: 'urn:li:instance:(runtimes,kfp1)' });
  fakeFeed.emit('s1', { type: 'instance', urn: 'urn:li:instance:(code-snippets,s1)' });
  await waitUntil(() => server.count('GET', LIST) === before + 2 && !section.state.busy);
  expect(section.state.rows.length).toBe(600);
  section.hide();
  expect(fakeFeed.holders).toBe(0);
  section.dispose();
});

test('constant changes neither cancel nor postpone requests', async () => {
  const server = many(3);
  const fakeFeed = new FakeFeed();
  const section = sectionOf(server, fakeFeed);
  section.show();
  await waitUntil(() => section.state.answered);
  const storm = window.setInterval(
    () => fakeFeed.emit('s1', { type: 'instance', urn: 'urn:li:instance:(code-snippets,s1)' }),
    20
  );
  server.on('GET', LIST, async () => {
    await new Promise(resolve => setTimeout(resolve, 100));
    return { body: pageOf([rowOf('new')]) };
  });
  await waitUntil(() => section.state.rows[0]?.name === 'new');
  const before = server.count('GET', LIST);
  await waitUntil(() => server.count('GET', LIST) > before);
  window.clearInterval(storm);
  section.dispose();
});

test('a failure is shown in the section until the next answer', async () => {
  const server = many().on('GET', LIST, problem(503, 'the store is down'));
  const section = sectionOf(server);
  section.show();
  await waitUntil(() => section.state.problem !== null);
  expect(section.state.problem).toMatchObject({ kind: 'store', message: 'the store is down' });
  server.on('GET', LIST, { body: pageOf([rowOf('a')]) });
  await section.refresh();
  expect(section.state.problem).toBeNull();
  section.dispose();
});

test('refreshing reloads schemas and everything shown', async () => {
  const server = many().on('POST', 'schemaspaces/refresh', { body: SPACES });
  const model = new SchemaspacesModel(new Schemaspaces(server.settings), null);
  model.show();
  await waitUntil(
    () =>
      model.getSection('code-snippets').state.answered &&
      server.count('GET', 'schemaspaces/code-snippets/recovery-files') === 1
  );
  const before = server.seen.length;
  await model.reloadSchemas('code-snippets');
  await waitUntil(() => server.seen.length - before === 4);
  const paths = server.seen
    .slice(before)
    .map(request => `${request.method} ${request.path} ${request.query.get('space') ?? ''}`.trim());
  expect(paths.slice(0, 2)).toEqual(['POST schemaspaces/refresh code-snippets', 'GET schemaspaces']);
  // These are sent together.
  expect(paths.slice(2).sort()).toEqual([`GET ${LIST}`, 'GET schemaspaces/code-snippets/recovery-files']);
  model.dispose();
});

test('opening and closing repeatedly leaks no connection', async () => {
  const fakeFeed = new FakeFeed();
  for (let time = 0; time < 20; time++) {
    const model = new SchemaspacesModel(new Schemaspaces(many(3).settings), fakeFeed.feed);
    model.show();
    await waitUntil(() => model.getSection('code-snippets').state.answered);
    model.dispose();
  }
  expect(fakeFeed.holders).toBe(0);
});
