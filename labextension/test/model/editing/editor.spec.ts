import { expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { AspectEditor } from '../../../src/model/editing/editor';
import { FakeServer, PEOPLE, problem, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const URN = table('a');
const PATH = `entities/${URN}/aspects/businessMetadata`;
const BASE = { properties: { owner: 'ops' }, tags: ['faa'] };
const MINE = { properties: { owner: 'me' }, tags: ['faa'] };
const THEIRS = { properties: { owner: 'them' }, tags: [] };

function editorOn(server: FakeServer, version = 1): AspectEditor {
  const base = version > 0 ? { version, value: BASE as never } : null;
  return new AspectEditor(new Catalog(server.settings), URN, PEOPLE, base);
}

test('a draft is dirty while it differs from the base', () => {
  const editor = editorOn(new FakeServer());
  expect(editor.isDirty).toBe(false);
  editor.edit(MINE);
  expect(editor.isDirty).toBe(true);
  editor.edit(BASE);
  expect(editor.isDirty).toBe(false);
});

test('saving sends the version that was read', async () => {
  const server = new FakeServer().on('PUT', PATH, { body: {} });
  const editor = editorOn(server, 4);
  let saved = 0;
  editor.saved.connect(() => (saved += 1));
  editor.edit(MINE);
  await editor.save();
  expect(server.seen[0]?.headers.get('If-Match')).toBe('"4"');
  expect(server.seen[0]?.body).toEqual(MINE);
  expect([saved, editor.isDirty]).toEqual([1, false]);
});

test('saving a new aspect requires that it does not exist', async () => {
  const server = new FakeServer().on('PUT', PATH, { body: {} });
  const editor = editorOn(server, 0);
  editor.edit(MINE);
  await editor.save();
  expect(server.seen[0]?.headers.get('If-None-Match')).toBe('*');
});

test('errors are shown at touched locations, all after saving', async () => {
  const server = new FakeServer();
  const editor = editorOn(server);
  const faults = [
    { pointer: '/tags/0', message: 'a' },
    { pointer: '/properties/x', message: 'b' }
  ];
  editor.setCheck(() => faults);
  expect(editor.listErrors()).toEqual([]);
  editor.touch('/tags');
  expect(editor.listErrors()).toEqual([faults[0]]);
  await editor.save();
  expect(editor.listErrors()).toEqual(faults);
  expect(server.seen).toEqual([]);
});

test('server errors are shown until the next edit', async () => {
  const faults = [{ pointer: '/tags/0', message: 'not this word' }];
  const server = new FakeServer().on('PUT', PATH, problem(400, 'not valid', faults));
  const editor = editorOn(server);
  editor.edit(MINE);
  await editor.save();
  expect(editor.listErrors()).toEqual(faults);
  editor.edit(BASE);
  expect(editor.listErrors()).toEqual([]);
});

test('input errors block saving', async () => {
  const server = new FakeServer();
  const editor = editorOn(server);
  editor.setInputErrors('/properties', [{ pointer: '/properties/a', message: 'twice' }]);
  expect(editor.isDirty).toBe(true);
  await editor.save();
  expect(server.seen).toEqual([]);
  editor.setInputErrors('/properties', []);
  expect(editor.listErrors()).toEqual([]);
});

function conflicting(): FakeServer {
  const theirs = {
    name: 'businessMetadata',
    scope: 'USER',
    version: 7,
    value: THEIRS,
    actor: 'bob',
    via: null,
    time: '2026-11-20T12:00:00.000Z'
  };
  return new FakeServer()
    .on('PUT', PATH, request => (request.headers.get('If-Match') === '"7"' ? { body: {} } : problem(412, 'stale')))
    .on('GET', PATH, { body: theirs });
}

test('a conflict can be resolved by overwriting', async () => {
  const server = conflicting();
  const editor = editorOn(server);
  editor.edit(MINE);
  await editor.save();
  expect(editor.state.conflict).toMatchObject({ version: 7, value: THEIRS, actor: 'bob' });
  expect(editor.state.draft).toEqual(MINE);
  await editor.resolve('mine');
  // The other user removed a tag, which is not in conflict.
  expect(server.seen.at(-1)?.body).toEqual({ ...MINE, tags: [] });
  expect(editor.state.conflict).toBeNull();
  expect(editor.isDirty).toBe(false);
});

test('a conflict can be resolved with the other version', async () => {
  const server = conflicting();
  const editor = editorOn(server);
  editor.edit(MINE);
  await editor.save();
  await editor.resolve('theirs');
  expect(editor.state.draft).toEqual(THEIRS);
  expect(editor.isDirty).toBe(false);
  expect(server.count('PUT', PATH)).toBe(1);
});

test('changes of other fields are merged without asking', async () => {
  const server = conflicting();
  const editor = editorOn(server);
  editor.edit({ properties: { owner: 'ops', unit: 'm' }, tags: ['faa'] });
  await editor.save();
  expect(server.seen.at(-1)?.body).toEqual({ properties: { owner: 'them', unit: 'm' }, tags: [] });
  expect(editor.state).toMatchObject({ conflict: null, mergedActor: 'bob', saving: false });
});

test('a draft of an earlier session conflicts in all fields that differ', async () => {
  const server = conflicting();
  const editor = editorOn(server);
  editor.resume({ properties: { owner: 'me' }, tags: ['faa'] }, 0);
  await editor.save();
  expect(editor.state.conflict?.fields).toEqual([{ pointer: '/properties/owner', mine: 'me', theirs: 'them' }]);
});

test('saving after a deletion creates the document again', async () => {
  const server = new FakeServer()
    .on('PUT', PATH, request => (request.headers.has('If-None-Match') ? { body: {} } : problem(412, 'stale')))
    .on('GET', PATH, problem(404, 'gone'));
  const editor = editorOn(server);
  editor.edit(MINE);
  await editor.save();
  expect(editor.state.problem?.kind).toBe('not-found');
  await editor.save();
  expect(editor.isDirty).toBe(false);
});

test('a newer version is announced to a changed draft', () => {
  const editor = editorOn(new FakeServer(), 4);
  editor.edit(MINE);
  editor.onNewVersion(4, 'ada');
  expect(editor.state.newerActor).toBeNull();
  editor.onNewVersion(5, 'bob');
  expect(editor.state.newerActor).toBe('bob');
});

test('an unreachable server keeps the draft', async () => {
  const server = new FakeServer().on('PUT', PATH, () => Promise.reject(new TypeError('refused')));
  const editor = editorOn(server);
  editor.edit(MINE);
  await editor.save();
  expect(editor.state.problem?.kind).toBe('unreachable');
  expect(editor.state.draft).toEqual(MINE);
});

test('defaults do not make a draft dirty', () => {
  const editor = new AspectEditor(new Catalog(new FakeServer().settings), table('a'), PEOPLE, null);
  editor.initialize(value => ({ properties: {}, tags: [], ...value }));
  expect(editor.state.draft).toEqual({ properties: {}, tags: [] });
  expect(editor.isDirty).toBe(false);
});

test('an unchanged form loads a newer version', async () => {
  const theirs = { version: 5, value: THEIRS, actor: 'bob', time: '', via: null };
  const server = new FakeServer().on('GET', PATH, { body: theirs });
  const editor = editorOn(server, 4);
  editor.onNewVersion(5, 'bob');
  await waitUntil(() => (editor.state.draft as typeof THEIRS).tags.length === 0);
  expect(editor.state).toMatchObject({ draft: THEIRS, newerActor: null });
  expect(editor.isDirty).toBe(false);
});
