import { expect, test } from 'vitest';
import { Catalog } from '../../src/api/client';
import { AspectEditor } from '../../src/model/editor';
import { FakeServer, PEOPLE, problem, table } from '../support/server';
import { until } from '../support/waiting';

const URN = table('a');
const PATH = `entities/${URN}/aspects/businessMetadata`;
const BASE = { properties: { owner: 'ops' }, tags: ['faa'] };
const MINE = { properties: { owner: 'me' }, tags: ['faa'] };
const THEIRS = { properties: { owner: 'them' }, tags: [] };

function editorOn(server: FakeServer, version = 1): AspectEditor {
  const base = version > 0 ? { version, value: BASE as never } : null;
  return new AspectEditor(new Catalog(server.settings), URN, PEOPLE, base);
}

test('a draft is dirty while it differs from what was read', () => {
  const editor = editorOn(new FakeServer());
  expect(editor.dirty).toBe(false);
  editor.edit(MINE);
  expect(editor.dirty).toBe(true);
  editor.edit(BASE);
  expect(editor.dirty).toBe(false);
});

test('a save names the version that was read, and ends the dirt', async () => {
  const server = new FakeServer().on('PUT', PATH, { body: {} });
  const editor = editorOn(server, 4);
  let saved = 0;
  editor.saved.connect(() => (saved += 1));
  editor.edit(MINE);
  await editor.save();
  expect(server.seen[0]?.headers.get('If-Match')).toBe('"4"');
  expect(server.seen[0]?.body).toEqual(MINE);
  expect([saved, editor.dirty]).toEqual([1, false]);
});

test('what nobody wrote before may not be there when it is saved', async () => {
  const server = new FakeServer().on('PUT', PATH, { body: {} });
  const editor = editorOn(server, 0);
  editor.edit(MINE);
  await editor.save();
  expect(server.seen[0]?.headers.get('If-None-Match')).toBe('*');
});

test('a fault is shown where somebody has been, and everywhere after a try to save', async () => {
  const server = new FakeServer();
  const editor = editorOn(server);
  const faults = [
    { pointer: '/tags/0', message: 'a' },
    { pointer: '/properties/x', message: 'b' }
  ];
  editor.checkWith(() => faults);
  expect(editor.faults()).toEqual([]);
  editor.touch('/tags');
  expect(editor.faults()).toEqual([faults[0]]);
  await editor.save();
  expect(editor.faults()).toEqual(faults);
  expect(server.seen).toEqual([]);
});

test('what the server refuses is shown at its place until something is changed', async () => {
  const faults = [{ pointer: '/tags/0', message: 'not this word' }];
  const server = new FakeServer().on('PUT', PATH, problem(400, 'not valid', faults));
  const editor = editorOn(server);
  editor.edit(MINE);
  await editor.save();
  expect(editor.faults()).toEqual(faults);
  editor.edit(BASE);
  expect(editor.faults()).toEqual([]);
});

test('what cannot be written into a draft keeps it from being saved', async () => {
  const server = new FakeServer();
  const editor = editorOn(server);
  editor.block('/properties', [{ pointer: '/properties/a', message: 'twice' }]);
  expect(editor.dirty).toBe(true);
  await editor.save();
  expect(server.seen).toEqual([]);
  editor.block('/properties', []);
  expect(editor.faults()).toEqual([]);
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
    .on('PUT', PATH, seen => (seen.headers.get('If-Match') === '"7"' ? { body: {} } : problem(412, 'stale')))
    .on('GET', PATH, { body: theirs });
}

test('who was slower sees both versions, and may put theirs over', async () => {
  const server = conflicting();
  const editor = editorOn(server);
  editor.edit(MINE);
  await editor.save();
  expect(editor.state.conflict).toMatchObject({ version: 7, value: THEIRS, actor: 'bob' });
  expect(editor.state.draft).toEqual(MINE);
  await editor.resolve('mine');
  expect(server.seen.at(-1)?.body).toEqual(MINE);
  expect(editor.state.conflict).toBeNull();
  expect(editor.dirty).toBe(false);
});

test('who was slower may take the other version', async () => {
  const server = conflicting();
  const editor = editorOn(server);
  editor.edit(MINE);
  await editor.save();
  await editor.resolve('theirs');
  expect(editor.state.draft).toEqual(THEIRS);
  expect(editor.dirty).toBe(false);
  expect(server.count('PUT', PATH)).toBe(1);
});

test('when the other one deleted it, the next save makes it anew', async () => {
  const server = new FakeServer()
    .on('PUT', PATH, seen => (seen.headers.has('If-None-Match') ? { body: {} } : problem(412, 'stale')))
    .on('GET', PATH, problem(404, 'gone'));
  const editor = editorOn(server);
  editor.edit(MINE);
  await editor.save();
  expect(editor.state.problem?.kind).toBe('absent');
  await editor.save();
  expect(editor.dirty).toBe(false);
});

test('a newer version is announced while one edits, an older one is not', () => {
  const editor = editorOn(new FakeServer(), 4);
  editor.edit(MINE);
  editor.noticed(4, 'ada');
  expect(editor.state.newer).toBeNull();
  editor.noticed(5, 'bob');
  expect(editor.state.newer).toBe('bob');
});

test('a server that cannot be reached keeps the draft', async () => {
  const server = new FakeServer().on('PUT', PATH, () => Promise.reject(new TypeError('refused')));
  const editor = editorOn(server);
  editor.edit(MINE);
  await editor.save();
  expect(editor.state.problem?.kind).toBe('unreachable');
  expect(editor.state.draft).toEqual(MINE);
});

test('what a form fills in by itself is not a change to be lost', () => {
  const editor = new AspectEditor(new Catalog(new FakeServer().settings), table('a'), PEOPLE, null);
  editor.begin(value => ({ properties: {}, tags: [], ...value }));
  expect(editor.state.draft).toEqual({ properties: {}, tags: [] });
  expect(editor.dirty).toBe(false);
});

test('an untouched form takes a newer version over', async () => {
  const theirs = { version: 5, value: THEIRS, actor: 'bob', time: '', via: null };
  const server = new FakeServer().on('GET', PATH, { body: theirs });
  const editor = editorOn(server, 4);
  editor.noticed(5, 'bob');
  await until(() => (editor.state.draft as typeof THEIRS).tags.length === 0);
  expect(editor.state).toMatchObject({ draft: THEIRS, newer: null });
  expect(editor.dirty).toBe(false);
});
