import { nullTranslator } from '@jupyterlab/translation';
import { FormRendererRegistry, ReactWidget } from '@jupyterlab/ui-components';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';
import type { FieldProps } from '@rjsf/utils';
import { readFileSync } from 'node:fs';
import React from 'react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import { Schemaspaces } from '../../../src/api/schemaspaces';
import { DraftStorage } from '../../../src/model/editing/drafts';
import { InstanceBody } from '../../../src/panels/instance/body';
import { FormTools } from '../../../src/forms/context';
import { getRendererId } from '../../../src/forms/renderers';
import { InstanceModel } from '../../../src/panels/instance/model';
import { hello, pipelineServer, PLACE, RUNTIME, snippetServer } from '../../support/instance-pages';
import type { FakeServer } from '../../support/server';
import { problem } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

/** A plugin that reads files, with properties of several types. */
const FILE = {
  type: 'source',
  name: 'file',
  title: 'File',
  description: 'Read files',
  inputs: [0, 0],
  schema: {
    title: 'File',
    type: 'object',
    properties: {
      path: { title: 'Path', type: 'string', minLength: 1 },
      columns: { title: 'Columns', type: 'array', items: { type: 'string' } },
      options: { title: 'Options', type: 'object' }
    },
    required: ['path'],
    additionalProperties: false
  }
};

let shown: { page: Widget; model: InstanceModel } | null = null;
let restored: number[] = [];

beforeEach(() => {
  window.localStorage.clear();
  restored = [];
});

afterEach(() => {
  shown?.page.dispose();
  shown?.model.dispose();
  shown = null;
});

const KEPT = { $secret: true };
const AUTH = { type: 'user', user: 'ada', password: KEPT };

function runtimeServer(metadata: object): FakeServer {
  const instance = hello({ schema_name: 'runtime', metadata: metadata });
  return snippetServer(RUNTIME, 'runtime')
    .on('GET', `${PLACE}/hello`, { body: instance })
    .on('PUT', `${PLACE}/hello`, { body: { ...instance, version: 3 } });
}

async function page(
  server: FakeServer,
  name = 'hello',
  renderers: FormRendererRegistry | null = null,
  space = 'code-snippets'
): Promise<void> {
  const sources = {
    spaces: new Schemaspaces(server.settings),
    catalog: new Catalog(server.settings),
    feed: null,
    drafts: new DraftStorage(window.localStorage, 's')
  };
  const schema = server.count('GET', '') === 0 && name === '' ? 'code-snippet' : '';
  const model = new InstanceModel(sources, { space, schema, name });
  const actions = {
    restore: (version: number) => restored.push(version),
    discard: () => model.discard(),
    remove: () => undefined,
    open: () => undefined
  };
  const body = (
    <FormTools.Provider value={{ editors: null, renderers }}>
      <InstanceBody model={model} actions={actions} trans={nullTranslator.load('')} />
    </FormTools.Provider>
  );
  shown = { page: ReactWidget.create(body), model };
  Widget.attach(shown.page, document.body);
  model.show();
  await waitUntil(() => document.querySelector('form input') !== null);
}

function field(label: string): HTMLInputElement {
  const labelled = [...document.querySelectorAll('label')].find(item => item.textContent?.startsWith(label));
  const named = document.querySelector(`[aria-label="${label}"]`);
  return (labelled ? document.getElementById(labelled.htmlFor) : named) as HTMLInputElement;
}

function type(into: Element, text: string): void {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(into) as object, 'value')?.set?.call(into, text);
  into.dispatchEvent(new Event(into instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
}

function press(name: string): void {
  const all = [...document.querySelectorAll('button')];
  all.find(item => item.textContent === name || item.getAttribute('aria-label') === name)?.click();
}

function alerts(): string[] {
  return [...document.querySelectorAll('form [role="alert"]')].map(alert => alert.textContent ?? '');
}

function sent(server: FakeServer): { metadata: Record<string, unknown> } | undefined {
  return server.seen.find(request => ['PUT', 'POST'].includes(request.method))?.body as never;
}

test('a form shows titles, categories and values without errors', async () => {
  await page(snippetServer());
  expect(field('Name').value).toBe('Hello');
  expect(field('Language').value).toBe('Python');
  expect(document.querySelector('legend')?.textContent).toBe('Source code');
  expect(document.body.textContent).toContain('demo');
  expect(document.body.textContent).not.toContain('not for people');
  expect([alerts(), shown?.model.isDirty]).toEqual([[], false]);
});

test('opening a form changes nothing', async () => {
  const file = 'schemas/schemaspaces/metadata-tests/metadata-test.json';
  const schema = JSON.parse(readFileSync(file, 'utf8')) as ReadonlyJSONObject;
  const instance = hello({ schema_name: 'metadata-test', metadata: { required_test: 'x', const_test: 3.14 } });
  const server = snippetServer(schema, 'metadata-test').on('GET', `${PLACE}/hello`, { body: instance });
  await page(server);
  await waitUntil(() => field('Required Test') !== null);
  await new Promise(resolve => setTimeout(resolve, 50));
  expect(shown?.model.state.editor?.state.draft['metadata']).toEqual(instance.metadata);
  expect(shown?.model.isDirty).toBe(false);
});

test('a new instance shows errors of touched fields, then all', async () => {
  const server = snippetServer().on('POST', PLACE, { status: 201, body: hello() });
  await page(server, '');
  expect(alerts()).toEqual([]);
  field('Language').focus();
  field('Language').blur();
  await waitUntil(() => alerts().length === 1);
  expect(alerts()).toEqual(['Required.']);
  press('Save');
  await waitUntil(() => alerts().length === 3);
  expect(field('Name').getAttribute('aria-invalid')).toBe('true');
  await waitUntil(() => document.activeElement === field('Name'));
  expect(sent(server)).toBeUndefined();
  type(field('Name'), 'Hello');
  type(field('Language'), 'Scala');
  const code = document.querySelector('textarea[aria-labelledby$="code__label"]');
  type(code as Element, 'one\ntwo');
  await waitUntil(() => alerts().length === 0);
  press('Save');
  await waitUntil(() => sent(server) !== undefined);
  expect(sent(server)).toMatchObject({ display_name: 'Hello', metadata: { language: 'Scala', code: ['one', 'two'] } });
  await waitUntil(() => document.querySelector('h1')?.textContent === 'Hello');
});

test('a dropdown offers suggestions by keyboard', async () => {
  await page(snippetServer());
  const language = field('Language');
  await waitUntil(() => shown?.model.state.choices.size !== 0);
  const key = (name: string): boolean =>
    language.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }));
  language.focus();
  key('ArrowDown');
  // The last one is an answer of the server.
  await waitUntil(() => document.querySelectorAll('[role="option"]').length === 3);
  expect([...document.querySelectorAll('[role="option"]')].map(item => item.textContent)).toEqual([
    'Python',
    'R',
    'Scala'
  ]);
  key('ArrowUp');
  await waitUntil(() => language.getAttribute('aria-activedescendant')?.endsWith('choice2') ?? false);
  key('Enter');
  await waitUntil(() => language.value === 'Scala');
  expect(language.getAttribute('aria-expanded')).toBe('false');
});

test('a stored secret is hidden and can be kept or replaced', async () => {
  const server = runtimeServer({ api_endpoint: 'http://x', kind: 'kfp', auth: AUTH });
  await page(server);
  expect([field('Password').value, field('Password').type]).toEqual(['', 'password']);
  expect(document.body.textContent).toContain('A secret is stored');
  type(field('Password'), 'new one');
  await waitUntil(() => document.body.textContent?.includes('The stored secret will be replaced') ?? false);
  press('Show Password');
  await waitUntil(() => field('Password').type === 'text');
  press('Keep the stored secret of Password');
  await waitUntil(() => shown?.model.isDirty === false);
  type(field('Api endpoint'), 'http://y');
  press('Save');
  await waitUntil(() => sent(server) !== undefined);
  expect(sent(server)?.metadata['auth']).toEqual(AUTH);
});

test('selecting another branch replaces its properties', async () => {
  const server = runtimeServer({ api_endpoint: 'http://x', kind: 'kfp', auth: AUTH });
  await page(server);
  const kind = field('Type of Sign in') as unknown as HTMLSelectElement;
  expect(kind.selectedOptions[0]?.textContent).toContain('A user');
  type(kind, '0');
  await waitUntil(() => JSON.stringify(shown?.model.state.editor?.state.draft).includes('"auth":{"type":"none"}'));
  press('Save');
  await waitUntil(() => sent(server) !== undefined);
  expect(sent(server)?.metadata['auth']).toEqual({ type: 'none' });
});

test('an optional choice can be made and cleared', async () => {
  const server = runtimeServer({ api_endpoint: 'http://x', kind: 'kfp' });
  await page(server);
  const auth = (): unknown => (shown?.model.state.editor?.state.draft['metadata'] as { auth?: unknown }).auth;
  const kind = (): HTMLSelectElement => field('Type of Sign in') as unknown as HTMLSelectElement;
  expect([kind().value, shown?.model.isDirty]).toEqual(['', false]);
  type(kind(), '0');
  await waitUntil(() => JSON.stringify(auth()) === '{"type":"none"}');
  type(kind(), '1');
  await waitUntil(() => JSON.stringify(auth()) === '{"type":"user"}');
  expect(kind().selectedOptions[0]?.textContent).toContain('A user');
  type(kind(), '');
  await waitUntil(() => auth() === undefined);
  type(kind(), '1');
  await waitUntil(() => JSON.stringify(auth()) === '{"type":"user"}');
  type(kind(), '');
  await waitUntil(() => auth() === undefined);
  expect(shown?.model.isDirty).toBe(false);
});

test('list items are added, moved and removed by buttons', async () => {
  const server = runtimeServer({ api_endpoint: 'http://x', kind: 'kfp', servers: ['a', 'b'] });
  await page(server);
  press('Move 2 up');
  await waitUntil(() => field('Servers 1').value === 'b');
  press('Add to Servers');
  await waitUntil(() => field('Servers 3') !== null);
  type(field('Servers 3'), 'c');
  press('Remove 2');
  await waitUntil(() => document.querySelectorAll('.jp-Colophon-arrayItem').length === 2);
  press('Save');
  await waitUntil(() => sent(server) !== undefined);
  expect(sent(server)?.metadata['servers']).toEqual(['b', 'c']);
});

test('conditional properties appear and are required', async () => {
  const server = runtimeServer({ api_endpoint: 'http://x', kind: 'kfp' });
  await page(server);
  expect(document.body.textContent).not.toContain('Why so often');
  type(field('Tries'), '9');
  await waitUntil(() => document.body.textContent?.includes('Why so often') ?? false);
  press('Save');
  await waitUntil(() => alerts().length === 1);
  type(field('Why so often'), 'it fails');
  press('Save');
  await waitUntil(() => sent(server) !== undefined);
  expect(sent(server)?.metadata).toMatchObject({ tries: 9, reason: 'it fails' });
});

test('the history uses titles and omits internal members', async () => {
  const diff = [
    { op: 'replace', path: '/metadata/code/1', value: 'two' },
    { op: 'replace', path: '/$kept', value: 'file' },
    { op: 'replace', path: '/metadata/language', value: 'R' }
  ];
  const version = { version: 2, deleted: false, value: {}, actor: 'ada', via: null, time: '', diff };
  const history = 'entities/urn:li:instance:(code-snippets,hello)/aspects/instance/versions';
  await page(snippetServer().on('GET', history, { body: { versions: [version], cursor: null } }));
  await waitUntil(() => document.querySelector('.jp-Colophon-differences') !== null);
  const lines = [...document.querySelectorAll('.jp-Colophon-differences > li')].map(item => item.textContent);
  expect(lines).toEqual(['~Code › 2 two', '~Language R']);
});

test('constants are read-only and hidden properties kept', async () => {
  await page(runtimeServer({ api_endpoint: 'http://x', kind: 'kfp', secret_note: 'keep me' }));
  expect(field('Kind').readOnly).toBe(true);
  expect(document.body.textContent).not.toContain('Secret note');
  expect(shown?.model.state.editor?.state.draft['metadata']).toMatchObject({ secret_note: 'keep me' });
});

test('server errors are shown at their field or below the form', async () => {
  const refused = [
    { pointer: '/metadata/language', message: 'no such language' },
    { pointer: '/metadata/nowhere', message: 'not this' }
  ];
  const server = snippetServer().on('PUT', `${PLACE}/hello`, problem(400, 'not valid', refused));
  await page(server);
  type(field('Language'), 'X');
  press('Save');
  await waitUntil(() => alerts().length === 2);
  expect(alerts()).toEqual(['no such language', '/metadata/nowhere: not this']);
  expect(field('Language').getAttribute('aria-invalid')).toBe('true');
});

test('a conflict shows titles of differences without secrets', async () => {
  const mine = { api_endpoint: 'http://x', kind: 'kfp', auth: AUTH };
  const server = runtimeServer(mine);
  await page(server);
  type(field('Api endpoint'), 'http://mine');
  type(field('Password'), 'CANARY');
  const theirs = hello({ schema_name: 'runtime', version: 5, metadata: { ...mine, api_endpoint: 'http://theirs' } });
  server.on('PUT', `${PLACE}/hello`, problem(412, '')).on('GET', `${PLACE}/hello`, { body: theirs });
  press('Save');
  await waitUntil(() => document.querySelector('[role="alertdialog"]') !== null);
  const messages = document.querySelector('[role="alertdialog"]')?.textContent;
  expect(messages).toContain('Api endpoint');
  expect(messages).toContain('http://mine');
  expect(messages).toContain('http://theirs');
  expect(messages).not.toContain('CANARY');
  press('Keep theirs');
  await waitUntil(() => field('Api endpoint').value === 'http://theirs');
});

test('an invalid instance shows its errors and restorable versions', async () => {
  const problems = [{ pointer: '/metadata/code', message: "'code' is a required property" }];
  const broken = hello({ valid: false, reason: 'ValidationError', problems, metadata: { language: 'R' } });
  const [one, two] = [1, 2].map(version => ({
    version,
    deleted: false,
    value: {},
    actor: 'ada',
    via: null,
    time: '',
    diff: []
  }));
  const server = snippetServer()
    .on('GET', `${PLACE}/hello`, { body: broken })
    .on('GET', `entities/${broken.urn}/aspects/instance/versions`, { body: { versions: [two, one], cursor: null } });
  await page(server);
  expect(document.querySelector('[data-reason="ValidationError"]')?.textContent).toContain('required property');
  await waitUntil(() => alerts().includes('Required.'));
  await waitUntil(() => document.querySelector('[data-version="1"] button') !== null);
  expect(document.querySelector('[data-version="2"] button')).toBeNull();
  (document.querySelector('[data-version="1"] button') as HTMLButtonElement).click();
  expect(restored).toEqual([1]);
});

test('another extension can replace a field', async () => {
  const renderers = new FormRendererRegistry();
  const Other = (props: FieldProps): React.JSX.Element => (
    <input aria-label="theirs" defaultValue={String(props.formData)} />
  );
  renderers.addRenderer(getRendererId('dropdown'), { fieldRenderer: Other });
  await page(snippetServer(), 'hello', renderers);
  expect(field('theirs').value).toBe('Python');
});

test('readers get a read-only form', async () => {
  await page(snippetServer().on('GET', 'me', { body: { user: 'eve', scopes: ['read'] } }));
  expect(field('Name').matches(':disabled')).toBe(true);
  expect(document.body.textContent).toContain('Read-only: you do not have permission to change this.');
});

test('check errors of a pipeline are shown until the next edit', async () => {
  const file = 'schemas/schemaspaces/pipelines/pipeline.json';
  const stages = [{ name: 'orders', type: 'source', plugin: 'fil', properties: {} }];
  const saved = hello({ schema_name: 'pipeline', metadata: { namespace: 'shop', stages, connections: [] } });
  const wrong = { pointer: '/metadata/stages/0/plugin', message: 'no source is called so, but file' };
  let problems = [wrong];
  const server = pipelineServer(JSON.parse(readFileSync(file, 'utf8')) as ReadonlyJSONObject, saved)
    .on('GET', 'pipelines/plugins', { body: { plugins: [FILE], problems: [] } })
    .on('PUT', 'schemaspaces/pipelines/instances/hello', { body: { ...saved, version: 3 } })
    .on('POST', 'pipelines/check', () => ({ body: { valid: problems.length === 0, order: [], problems } }));
  await page(server, 'hello', null, 'pipelines');
  press('Form');
  await waitUntil(() => alerts().includes(wrong.message));
  expect(document.querySelector('[data-findings]')?.textContent).toContain(wrong.message);
  expect(server.seen.find(request => request.path === 'pipelines/check')?.body).toEqual({ name: 'hello' });
  await waitUntil(() => field('Plugin').querySelector('option[value="file"]') !== null);
  type(field('Plugin'), 'file');
  await waitUntil(() => alerts().length === 0);
  problems = [];
  await shown?.model.save();
  expect(sent(server)).toBeDefined();
  await waitUntil(() => document.querySelector('[data-findings]') === null);
  expect([alerts(), shown?.model.isDirty]).toEqual([[], false]);
});

test('a stage has a plugin selection and the properties of the plugin', async () => {
  const file = 'schemas/schemaspaces/pipelines/pipeline.json';
  const properties = { path: '/data/a.csv', columns: ['id', 'name'], options: { header: true } };
  const stages = [{ name: 'read', type: 'source', plugin: 'file', properties }];
  const saved = hello({ schema_name: 'pipeline', metadata: { namespace: 'default', stages } });
  const server = pipelineServer(JSON.parse(readFileSync(file, 'utf8')) as ReadonlyJSONObject, saved)
    .on('GET', 'pipelines/plugins', { body: { plugins: [FILE], problems: [] } })
    .on('POST', 'pipelines/check', { body: { valid: true, order: [], problems: [] } })
    .on('PUT', 'schemaspaces/pipelines/instances/hello', { body: { ...saved, version: 3 } });
  await page(server, 'hello', null, 'pipelines');
  press('Form');
  await waitUntil(() => field('Path') !== null);
  expect([...document.querySelectorAll('legend')].map(item => item.textContent)).toContain('Stages 1');
  expect([field('Path').value, field('Columns 2').value]).toEqual(['/data/a.csv', 'name']);
  expect([...field('Plugin').querySelectorAll('option')].map(item => item.value)).toEqual(['', 'file']);
  // The plugins of artifacts of its namespace are offered, too.
  const lists = server.seen.filter(({ path }) => path === 'pipelines/plugins');
  expect(lists.map(({ query }) => query.get('namespace'))).toEqual(['default']);
  expect(JSON.parse(field('Options').value)).toEqual({ header: true });
  press('Add to Columns');
  await waitUntil(() => field('Columns 3') !== null);
  type(field('Columns 3'), 'city');
  type(field('Options'), '{ "header": ');
  await waitUntil(() => shown?.model.state.editor?.state.inputErrors.size === 1);
  await shown?.model.save();
  await waitUntil(() => alerts().some(alert => alert.startsWith('Invalid JSON')));
  expect(server.count('PUT', 'schemaspaces/pipelines/instances/hello')).toBe(0);
  type(field('Options'), '{ "header": false, "sizes": [1, 2] }');
  await waitUntil(() => shown?.model.state.editor?.state.inputErrors.size === 0);
  await shown?.model.save();
  const put = server.seen.find(request => request.method === 'PUT')?.body as {
    metadata: { stages: { properties: object }[] };
  };
  expect(put.metadata.stages[0]?.properties).toEqual({
    path: '/data/a.csv',
    columns: ['id', 'name', 'city'],
    options: { header: false, sizes: [1, 2] }
  });
});
