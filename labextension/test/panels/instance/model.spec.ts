import { afterEach, beforeEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { Schemaspaces } from '../../../src/api/schemaspaces';
import { DraftStorage } from '../../../src/model/editing/drafts';
import { InstanceModel } from '../../../src/panels/instance/model';
import { FakeFeed } from '../../support/feed';
import { hello, PLACE, RUNTIME, snippetServer } from '../../support/instance-pages';
import type { FakeServer } from '../../support/server';
import { problem } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const URN = 'urn:li:instance:(code-snippets,hello)';
const DRAFT_KEY = 'jupyter-colophon:draft:s:["code-snippets","code-snippet","hello"]';
let fakeFeed = new FakeFeed();
const open: InstanceModel[] = [];

beforeEach(() => {
  fakeFeed = new FakeFeed();
  window.localStorage.clear();
});

afterEach(() => open.splice(0).forEach(model => model.dispose()));

async function shown(server: FakeServer, name = 'hello', schema = 'code-snippet'): Promise<InstanceModel> {
  const sources = {
    spaces: new Schemaspaces(server.settings),
    catalog: new Catalog(server.settings),
    feed: fakeFeed.feed,
    drafts: new DraftStorage(window.localStorage, 's')
  };
  const model = new InstanceModel(sources, { space: 'code-snippets', schema, name });
  open.push(model);
  model.show();
  await waitUntil(() => !model.state.busy && (name === '' || model.state.history !== null));
  return model;
}

function type(model: InstanceModel, part: object): void {
  model.state.editor?.edit({ ...model.state.editor.state.draft, ...part });
}

test('saving an instance sends the version that was read', async () => {
  const server = snippetServer().on('PUT', `${PLACE}/hello`, { body: hello({ version: 3, display_name: 'New' }) });
  const model = await shown(server);
  expect(model.isDirty).toBe(false);
  type(model, { display_name: 'New' });
  expect(model.isDirty).toBe(true);
  await model.save();
  const sent = server.seen.find(request => request.method === 'PUT');
  expect(sent?.headers.get('If-Match')).toBe('"2"');
  const { metadata } = hello();
  expect(sent?.body).toEqual({ name: 'hello', schema_name: 'code-snippet', display_name: 'New', metadata });
  expect([model.isDirty, model.state.editor?.version]).toEqual([false, 3]);
});

test('the first save creates and names an instance', async () => {
  const server = snippetServer().on('POST', PLACE, { status: 201, body: hello({ version: 1 }) });
  const model = await shown(server, '');
  expect([model.isNew, model.isDirty]).toEqual([true, false]);
  type(model, { display_name: 'Hello', metadata: hello().metadata });
  await model.save();
  expect(server.seen.find(request => request.method === 'POST')?.body).toEqual({
    schema_name: 'code-snippet',
    display_name: 'Hello',
    metadata: hello().metadata
  });
  expect([model.isNew, model.place.name, model.isDirty]).toEqual([false, 'hello', false]);
});

test('a taken name is an error at the display name', async () => {
  const server = snippetServer().on('POST', PLACE, problem(409, 'it exists already'));
  const model = await shown(server, '');
  type(model, { display_name: 'Hello' });
  await model.save();
  expect(model.state.editor?.listErrors()).toEqual([{ pointer: '/display_name', message: 'it exists already' }]);
});

test('a conflict shows version and author and can be overwritten', async () => {
  const version = { version: 5, deleted: false, value: null, actor: 'bob', via: null, time: '', diff: [] };
  const server = snippetServer();
  const model = await shown(server);
  type(model, { display_name: 'mine' });
  server
    .on('GET', `${PLACE}/hello`, { body: hello({ version: 5, display_name: 'theirs' }) })
    .on('GET', `entities/${URN}/aspects/instance/versions`, { body: { versions: [version], cursor: null } })
    .on('PUT', `${PLACE}/hello`, request =>
      request.headers.get('If-Match') === '"5"'
        ? { body: hello({ version: 6, display_name: 'mine' }) }
        : problem(412, '')
    );
  await model.save();
  const { conflict } = model.state.editor?.state ?? {};
  expect([conflict?.actor, conflict?.value['display_name']]).toEqual(['bob', 'theirs']);
  await model.state.editor?.resolve('mine');
  expect([model.isDirty, model.state.editor?.version]).toEqual([false, 6]);
});

test('a newer version is loaded or announced to a changed form', async () => {
  const server = snippetServer();
  const model = await shown(server);
  await waitUntil(() => fakeFeed.holders === 1);
  server.on('GET', `${PLACE}/hello`, { body: hello({ version: 3, display_name: 'theirs' }) });
  const change = { urn: URN, type: 'instance', aspect: 'instance', actor: 'bob' };
  fakeFeed.emit('x', { ...change, version: 3 });
  await waitUntil(() => model.state.editor?.state.draft['display_name'] === 'theirs');
  expect(model.isDirty).toBe(false);
  type(model, { display_name: 'mine' });
  fakeFeed.emit('x', { ...change, version: 4 });
  expect(model.state.editor?.state.newerActor).toBe('bob');
  expect(model.state.editor?.state.draft['display_name']).toBe('mine');
});

test('a deletion elsewhere keeps the draft, saving creates it again', async () => {
  const server = snippetServer().on('POST', PLACE, { status: 201, body: hello({ version: 4 }) });
  const model = await shown(server);
  type(model, { display_name: 'mine' });
  await waitUntil(() => fakeFeed.holders === 1);
  server.on('GET', `${PLACE}/hello`, problem(404, 'no such instance'));
  fakeFeed.emit('x', { urn: URN, aspect: 'instance', operation: 'delete', version: 3 });
  await waitUntil(() => model.state.removed && !model.state.busy);
  expect(model.state.editor?.state.draft['display_name']).toBe('mine');
  await model.save();
  expect(server.seen.find(request => request.method === 'POST')?.body).toMatchObject({
    name: 'hello',
    display_name: 'mine'
  });
  expect([model.state.removed, model.isDirty]).toEqual([false, false]);
});

test('a draft is restored after a reload until it is discarded', async () => {
  const model = await shown(snippetServer());
  type(model, { display_name: 'typed' });
  window.dispatchEvent(new Event('pagehide'));
  const newer = snippetServer().on('GET', `${PLACE}/hello`, { body: hello({ version: 9 }) });
  const again = await shown(newer);
  expect(again.state.recoveredAt).not.toBeNull();
  expect(again.state.editor?.state).toMatchObject({ draft: { display_name: 'typed' }, newerActor: '' });
  expect(again.state.editor?.version).toBe(2);
  again.discard();
  await waitUntil(() => again.state.editor?.version === 9);
  expect([again.isDirty, window.localStorage.getItem(DRAFT_KEY)]).toEqual([false, null]);
});

test('secrets are never stored in the browser', async () => {
  const auth = { type: 'user', user: 'ada', password: { $secret: true } };
  const instance = hello({ schema_name: 'runtime', metadata: { api_endpoint: 'http://x', kind: 'kfp', auth } });
  const server = snippetServer(RUNTIME, 'runtime').on('GET', `${PLACE}/hello`, { body: instance });
  const model = await shown(server, 'hello', 'runtime');
  const typed = { ...instance.metadata, api_endpoint: 'http://y', auth: { ...auth, password: 'CANARY' } };
  type(model, { metadata: typed });
  window.dispatchEvent(new Event('pagehide'));
  const stored = JSON.stringify({ ...window.localStorage });
  expect(stored).toContain('http://y');
  expect(stored).not.toContain('CANARY');
});

test('an invalid instance shows its errors, an unreadable one can be replaced', async () => {
  const problems = [{ pointer: '', message: 'it is no JSON' }];
  const torn = hello({ schema_name: '{unknown}', metadata: {}, valid: false, reason: 'ValueError', problems });
  const server = snippetServer()
    .on('GET', `${PLACE}/hello`, { body: torn })
    .on('PUT', `${PLACE}/hello`, { body: hello({ version: 3 }) });
  const model = await shown(server, 'hello', '');
  expect([model.state.schema, model.state.editor]).toEqual([null, null]);
  await model.chooseSchema('code-snippet');
  expect(model.isDirty).toBe(true);
  expect(model.state.editor?.state).toMatchObject({ submitted: true, draft: { schema_name: 'code-snippet' } });
  type(model, { metadata: hello().metadata });
  await model.save();
  expect(server.seen.find(request => request.method === 'PUT')?.body).toMatchObject({ schema_name: 'code-snippet' });
  expect([model.state.instance?.valid, model.isDirty]).toEqual([true, false]);
});

test('an earlier version is restored, also after a deletion', async () => {
  const server = snippetServer()
    .on('GET', `${PLACE}/hello`, problem(404, 'no such instance'))
    .on('POST', `${PLACE}/hello/restore`, { body: hello({ version: 4 }) });
  const model = await shown(server);
  expect(model.state.removed).toBe(true);
  server.on('GET', `${PLACE}/hello`, { body: hello({ version: 4 }) });
  await model.restore(2);
  expect(server.seen.find(request => request.method === 'POST')?.body).toEqual({ version: 2 });
  expect([model.state.removed, model.state.editor?.version]).toEqual([false, 4]);
});

test('readers may not edit', async () => {
  const server = snippetServer().on('GET', 'me', { body: { user: 'eve', scopes: ['read'] } });
  expect((await shown(server)).state.mayEdit).toBe(false);
});

test('suggestions are loaded once for a location', async () => {
  const server = snippetServer();
  const model = await shown(server);
  model.loadChoices('/language');
  model.loadChoices('/language');
  await waitUntil(() => model.state.choices.size === 1);
  expect(model.state.choices.get('/language')).toEqual(['Scala']);
  expect(server.count('GET', 'schemaspaces/code-snippets/values')).toBe(1);
});
