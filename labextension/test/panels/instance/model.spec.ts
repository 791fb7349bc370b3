import { afterEach, beforeEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { Schemaspaces } from '../../../src/api/schemaspaces';
import { Drafts } from '../../../src/model/drafts';
import { InstanceModel } from '../../../src/panels/instance/model';
import { SpokenFeed } from '../../support/feed';
import { hello, PLACE, RUNTIME, snippetServer } from '../../support/instance-pages';
import type { FakeServer } from '../../support/server';
import { problem } from '../../support/server';
import { until } from '../../support/waiting';

const URN = 'urn:li:instance:(code-snippets,hello)';
const DRAFT_KEY = 'jupyter-colophon:draft:s:["code-snippets","code-snippet","hello"]';
let spoken = new SpokenFeed();
const open: InstanceModel[] = [];

beforeEach(() => {
  spoken = new SpokenFeed();
  window.localStorage.clear();
});

afterEach(() => open.splice(0).forEach(model => model.dispose()));

async function shown(server: FakeServer, name = 'hello', schema = 'code-snippet'): Promise<InstanceModel> {
  const sources = {
    spaces: new Schemaspaces(server.settings),
    catalog: new Catalog(server.settings),
    feed: spoken.feed,
    drafts: new Drafts(window.localStorage, 's')
  };
  const model = new InstanceModel(sources, { space: 'code-snippets', schema, name });
  open.push(model);
  model.show();
  await until(() => !model.state.busy && (name === '' || model.state.history !== null));
  return model;
}

function type(model: InstanceModel, part: object): void {
  model.state.editor?.edit({ ...model.state.editor.state.draft, ...part });
}

test('an instance is read with its schema, and a save names the version that was read', async () => {
  const server = snippetServer().on('PUT', `${PLACE}/hello`, { body: hello({ version: 3, display_name: 'New' }) });
  const model = await shown(server);
  expect(model.dirty).toBe(false);
  type(model, { display_name: 'New' });
  expect(model.dirty).toBe(true);
  await model.save();
  const sent = server.seen.find(seen => seen.method === 'PUT');
  expect(sent?.headers.get('If-Match')).toBe('"2"');
  const { metadata } = hello();
  expect(sent?.body).toEqual({ name: 'hello', schema_name: 'code-snippet', display_name: 'New', metadata });
  expect([model.dirty, model.state.editor?.version]).toEqual([false, 3]);
});

test('a new one is made by its first save, and has a name from then on', async () => {
  const server = snippetServer().on('POST', PLACE, { status: 201, body: hello({ version: 1 }) });
  const model = await shown(server, '');
  expect([model.isNew, model.dirty]).toEqual([true, false]);
  type(model, { display_name: 'Hello', metadata: hello().metadata });
  await model.save();
  expect(server.seen.find(seen => seen.method === 'POST')?.body).toEqual({
    schema_name: 'code-snippet',
    display_name: 'Hello',
    metadata: hello().metadata
  });
  expect([model.isNew, model.place.name, model.dirty]).toEqual([false, 'hello', false]);
});

test('a name that is taken is told at the display name', async () => {
  const server = snippetServer().on('POST', PLACE, problem(409, 'it exists already'));
  const model = await shown(server, '');
  type(model, { display_name: 'Hello' });
  await model.save();
  expect(model.state.editor?.faults()).toEqual([{ pointer: '/display_name', message: 'it exists already' }]);
});

test('who was slower sees the other version and who wrote it, and may put theirs over', async () => {
  const version = { version: 5, deleted: false, value: null, actor: 'bob', via: null, time: '', diff: [] };
  const server = snippetServer();
  const model = await shown(server);
  type(model, { display_name: 'mine' });
  server
    .on('GET', `${PLACE}/hello`, { body: hello({ version: 5, display_name: 'theirs' }) })
    .on('GET', `entities/${URN}/aspects/instance/versions`, { body: { versions: [version], cursor: null } })
    .on('PUT', `${PLACE}/hello`, seen =>
      seen.headers.get('If-Match') === '"5"' ? { body: hello({ version: 6, display_name: 'mine' }) } : problem(412, '')
    );
  await model.save();
  const { conflict } = model.state.editor?.state ?? {};
  expect([conflict?.actor, conflict?.value['display_name']]).toEqual(['bob', 'theirs']);
  await model.state.editor?.resolve('mine');
  expect([model.dirty, model.state.editor?.version]).toEqual([false, 6]);
});

test('what somebody else saves is taken over by an untouched form, and told to one in which somebody types', async () => {
  const server = snippetServer();
  const model = await shown(server);
  await until(() => spoken.holders === 1);
  server.on('GET', `${PLACE}/hello`, { body: hello({ version: 3, display_name: 'theirs' }) });
  const change = { urn: URN, type: 'instance', aspect: 'instance', actor: 'bob' };
  spoken.tell('x', { ...change, version: 3 });
  await until(() => model.state.editor?.state.draft['display_name'] === 'theirs');
  expect(model.dirty).toBe(false);
  type(model, { display_name: 'mine' });
  spoken.tell('x', { ...change, version: 4 });
  expect(model.state.editor?.state.newer).toBe('bob');
  expect(model.state.editor?.state.draft['display_name']).toBe('mine');
});

test('a removal elsewhere is told, what was typed stays, and saving makes it anew', async () => {
  const server = snippetServer().on('POST', PLACE, { status: 201, body: hello({ version: 4 }) });
  const model = await shown(server);
  type(model, { display_name: 'mine' });
  await until(() => spoken.holders === 1);
  server.on('GET', `${PLACE}/hello`, problem(404, 'no such instance'));
  spoken.tell('x', { urn: URN, aspect: 'instance', operation: 'delete', version: 3 });
  await until(() => model.state.removed && !model.state.busy);
  expect(model.state.editor?.state.draft['display_name']).toBe('mine');
  await model.save();
  expect(server.seen.find(seen => seen.method === 'POST')?.body).toMatchObject({ name: 'hello', display_name: 'mine' });
  expect([model.state.removed, model.dirty]).toEqual([false, false]);
});

test('a draft comes back after a reload upon the version it was made on, and goes when it is dropped', async () => {
  const model = await shown(snippetServer());
  type(model, { display_name: 'typed' });
  window.dispatchEvent(new Event('pagehide'));
  const newer = snippetServer().on('GET', `${PLACE}/hello`, { body: hello({ version: 9 }) });
  const again = await shown(newer);
  expect(again.state.recovered).not.toBeNull();
  expect(again.state.editor?.state).toMatchObject({ draft: { display_name: 'typed' }, newer: '' });
  expect(again.state.editor?.version).toBe(2);
  again.discard();
  await until(() => again.state.editor?.version === 9);
  expect([again.dirty, window.localStorage.getItem(DRAFT_KEY)]).toEqual([false, null]);
});

test('no secret is ever put down in the browser', async () => {
  const auth = { type: 'user', user: 'ada', password: { $secret: true } };
  const instance = hello({ schema_name: 'runtime', metadata: { api_endpoint: 'http://x', kind: 'kfp', auth } });
  const server = snippetServer(RUNTIME, 'runtime').on('GET', `${PLACE}/hello`, { body: instance });
  const model = await shown(server, 'hello', 'runtime');
  const typed = { ...instance.metadata, api_endpoint: 'http://y', auth: { ...auth, password: 'CANARY' } };
  type(model, { metadata: typed });
  window.dispatchEvent(new Event('pagehide'));
  const kept = JSON.stringify({ ...window.localStorage });
  expect(kept).toContain('http://y');
  expect(kept).not.toContain('CANARY');
});

test('an invalid instance shows at once what is wrong, and a file that cannot be read can be replaced', async () => {
  const problems = [{ pointer: '', message: 'it is no JSON' }];
  const torn = hello({ schema_name: '{unknown}', metadata: {}, valid: false, reason: 'ValueError', problems });
  const server = snippetServer()
    .on('GET', `${PLACE}/hello`, { body: torn })
    .on('PUT', `${PLACE}/hello`, { body: hello({ version: 3 }) });
  const model = await shown(server, 'hello', '');
  expect([model.state.schema, model.state.editor]).toEqual([null, null]);
  await model.chooseSchema('code-snippet');
  expect(model.dirty).toBe(true);
  expect(model.state.editor?.state).toMatchObject({ submitted: true, draft: { schema_name: 'code-snippet' } });
  type(model, { metadata: hello().metadata });
  await model.save();
  expect(server.seen.find(seen => seen.method === 'PUT')?.body).toMatchObject({ schema_name: 'code-snippet' });
  expect([model.state.instance?.valid, model.dirty]).toEqual([true, false]);
});

test('an earlier version is restored, also of what was removed', async () => {
  const server = snippetServer()
    .on('GET', `${PLACE}/hello`, problem(404, 'no such instance'))
    .on('POST', `${PLACE}/hello/restore`, { body: hello({ version: 4 }) });
  const model = await shown(server);
  expect(model.state.removed).toBe(true);
  server.on('GET', `${PLACE}/hello`, { body: hello({ version: 4 }) });
  await model.restore(2);
  expect(server.seen.find(seen => seen.method === 'POST')?.body).toEqual({ version: 2 });
  expect([model.state.removed, model.state.editor?.version]).toEqual([false, 4]);
});

test('who may only read is not offered to write', async () => {
  const server = snippetServer().on('GET', 'me', { body: { user: 'eve', scopes: ['read'] } });
  expect((await shown(server)).state.mayEdit).toBe(false);
});

test('what other instances have is asked once for a place', async () => {
  const server = snippetServer();
  const model = await shown(server);
  model.offer('/language');
  model.offer('/language');
  await until(() => model.state.choices.size === 1);
  expect(model.state.choices.get('/language')).toEqual(['Scala']);
  expect(server.count('GET', 'schemaspaces/code-snippets/values')).toBe(1);
});
