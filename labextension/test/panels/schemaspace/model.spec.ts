import { expect, test } from 'vitest';
import { Schemaspaces } from '../../../src/api/schemaspaces';
import { InstancesModel } from '../../../src/panels/schemaspace/instances';
import { SchemaspacesModel } from '../../../src/panels/schemaspace/model';
import { SpokenFeed } from '../../support/feed';
import { pageOf, rowOf, SPACES } from '../../support/instances';
import { FakeServer, problem } from '../../support/server';
import { until } from '../../support/waiting';

const LIST = 'schemaspaces/code-snippets/instances';

/** Six hundred instances, served by cursors that say where to go on. */
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

function sectionOf(server: FakeServer, spoken?: SpokenFeed): InstancesModel {
  return new InstancesModel(new Schemaspaces(server.settings), spoken?.feed ?? null, 'code-snippets');
}

test('nothing is asked before the panel is shown; then the first section is open, and only its instances are asked', async () => {
  const server = many();
  const model = new SchemaspacesModel(new Schemaspaces(server.settings), null);
  expect(server.seen).toEqual([]);
  model.show();
  await until(() => model.section('code-snippets').state.answered);
  expect(model.state.spaces.map(space => space.name)).toEqual(['code-snippets', 'runtimes']);
  expect([...model.state.open]).toEqual(['code-snippets']);
  expect(server.count('GET', 'schemaspaces/runtimes/instances')).toBe(0);
  model.toggle('runtimes');
  await until(() => model.section('runtimes').state.answered);
  model.dispose();
});

test('sections that were open come open again, as far as they are there still', async () => {
  const remembered = (): Promise<string[]> => Promise.resolve(['runtimes', 'gone']);
  const model = new SchemaspacesModel(new Schemaspaces(many().settings), null, remembered);
  model.show();
  await until(() => model.state.answered);
  expect([...model.state.open]).toEqual(['runtimes']);
  model.dispose();
});

test('pages are fetched as far as somebody looks, and each row is there once', async () => {
  const server = many();
  const section = sectionOf(server);
  section.show();
  await until(() => section.state.answered);
  expect([section.state.rows.length, section.state.total]).toEqual([200, 600]);
  await section.reach(150);
  expect(server.count('GET', LIST)).toBe(1);
  await section.reach(450);
  expect(section.state.rows.length).toBe(600);
  expect(new Set(section.state.rows.map(row => row.name)).size).toBe(600);
  expect(server.count('GET', LIST)).toBe(2);
  section.dispose();
});

test('a filter begins at the top again, and several tags are alternatives', async () => {
  const server = many();
  const section = sectionOf(server);
  section.show();
  await until(() => section.state.answered);
  await section.reach(599);
  section.toggleTag('pandas');
  section.toggleTag('a, b');
  section.showOnly('invalid');
  section.sortBy('-time');
  const before = server.count('GET', LIST);
  await until(() => server.count('GET', LIST) > before && !section.state.busy);
  const { query } = server.seen.at(-1) ?? { query: new URLSearchParams() };
  expect(JSON.parse(query.get('tag') ?? '')).toEqual(['pandas', 'a, b']);
  expect([query.get('valid'), query.get('sort'), query.get('cursor')]).toEqual(['false', '-time', null]);
  expect(section.state.rows.length).toBe(200);
  expect(section.filtered).toBe(true);
  section.clear();
  expect(section.filtered).toBe(false);
  section.dispose();
});

test('typing asks once, when the fingers rest', async () => {
  const server = many();
  const section = sectionOf(server);
  section.type('p');
  section.type('pa');
  section.type('pan ');
  await until(() => section.state.answered);
  expect(server.seen.map(seen => seen.query.get('q'))).toEqual(['pan']);
  section.dispose();
});

test('a change of one of its instances makes a shown section ask again, as far as was looked; others do not', async () => {
  const server = many();
  const spoken = new SpokenFeed();
  const section = sectionOf(server, spoken);
  section.show();
  await until(() => section.state.answered);
  await section.reach(399);
  const before = server.count('GET', LIST);
  spoken.tell('elsewhere');
  spoken.tell('kfp1', { type: 'instance', urn: 'urn:li:instance:(runtimes,kfp1)' });
  spoken.tell('s1', { type: 'instance', urn: 'urn:li:instance:(code-snippets,s1)' });
  await until(() => server.count('GET', LIST) === before + 2 && !section.state.busy);
  expect(section.state.rows.length).toBe(600);
  section.hide();
  expect(spoken.holders).toBe(0);
  section.dispose();
});

test('changes without end neither give up what is asked nor put it off', async () => {
  const server = many(3);
  const spoken = new SpokenFeed();
  const section = sectionOf(server, spoken);
  section.show();
  await until(() => section.state.answered);
  const storm = window.setInterval(
    () => spoken.tell('s1', { type: 'instance', urn: 'urn:li:instance:(code-snippets,s1)' }),
    20
  );
  server.on('GET', LIST, async () => {
    await new Promise(resolve => setTimeout(resolve, 100));
    return { body: pageOf([rowOf('new')]) };
  });
  await until(() => section.state.rows[0]?.name === 'new');
  const before = server.count('GET', LIST);
  await until(() => server.count('GET', LIST) > before);
  window.clearInterval(storm);
  section.dispose();
});

test('a server that fails is told in the section, and the next answer takes that away', async () => {
  const server = many().on('GET', LIST, problem(503, 'the store is down'));
  const section = sectionOf(server);
  section.show();
  await until(() => section.state.problem !== null);
  expect(section.state.problem).toMatchObject({ kind: 'store', message: 'the store is down' });
  server.on('GET', LIST, { body: pageOf([rowOf('a')]) });
  await section.refresh();
  expect(section.state.problem).toBeNull();
  section.dispose();
});

test('refreshing loads schemas anew, then asks for all that is shown', async () => {
  const server = many().on('POST', 'schemaspaces/refresh', { body: SPACES });
  const model = new SchemaspacesModel(new Schemaspaces(server.settings), null);
  model.show();
  await until(() => model.section('code-snippets').state.answered);
  await model.reload('code-snippets');
  const paths = server.seen.map(seen => `${seen.method} ${seen.path} ${seen.query.get('space') ?? ''}`.trim());
  expect(paths.slice(-4)).toEqual([
    'POST schemaspaces/refresh code-snippets',
    'GET schemaspaces',
    `GET ${LIST}`,
    'GET schemaspaces/code-snippets/recovery-files'
  ]);
  model.dispose();
});

test('opened and closed twenty times, it holds no connection', async () => {
  const spoken = new SpokenFeed();
  for (let time = 0; time < 20; time++) {
    const model = new SchemaspacesModel(new Schemaspaces(many(3).settings), spoken.feed);
    model.show();
    await until(() => model.section('code-snippets').state.answered);
    model.dispose();
  }
  expect(spoken.holders).toBe(0);
});
