import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { beforeEach, expect, test } from 'vitest';
import { Schemaspaces } from '../../../src/api/schemaspaces';
import { CommandIDs } from '../../../src/commands';
import { SchemaspacesModel } from '../../../src/panels/schemaspace/model';
import { registerInstanceCommands } from '../../../src/plugins/instances/instances';
import { SnippetCache } from '../../../src/panels/schemaspace/snippet-cache';
import { registerSnippetCommands } from '../../../src/plugins/notebooks/snippets';
import { rowOf, snippetNamed } from '../../support/instances';
import { FakeServer, problem } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const LIST = 'schemaspaces/code-snippets/instances';
const PLACE = { space: 'code-snippets', name: 'a' };

interface ILab {
  commands: CommandRegistry;
  model: SchemaspacesModel;
  /** The executed commands: id and arguments. */
  executed: [string, unknown][];
  widget: { id: string; content: object };
}

function lab(server: FakeServer): ILab {
  const commands = new CommandRegistry();
  const spaces = new Schemaspaces(server.settings);
  const model = new SchemaspacesModel(spaces, null);
  const requests: [string, unknown][] = [];
  const widget = { id: 'nb', content: { activeCell: { model: { mimeType: 'text/x-ipython' } } } };
  const shell = { currentWidget: widget, activateById: () => undefined };
  const app = { commands, shell } as unknown as JupyterFrontEnd;
  const trans = nullTranslator.load('');
  registerInstanceCommands(app, spaces, model, trans);
  registerSnippetCommands(app, spaces, model, trans);
  for (const id of [CommandIDs.editInstance, 'notebook:replace-selection', 'notebook:enter-edit-mode']) {
    commands.addCommand(id, { execute: args => void requests.push([id, args]) });
  }
  return { commands, model, executed: requests, widget };
}

function messages(): string[] {
  return Notification.manager.notifications.map(item => item.message);
}

function act(label: string): void {
  const actions = Notification.manager.notifications.flatMap(item => item.options.actions ?? []);
  actions.find(action => action.label === label)?.callback(new MouseEvent('click'));
}

beforeEach(() => Notification.dismiss());

test('Undo restores a deleted instance', async () => {
  const server = new FakeServer()
    .on('GET', `${LIST}/a`, { body: snippetNamed('a', { version: 3 }) })
    .on('DELETE', `${LIST}/a`, { body: { name: 'a', urn: '', version: 3, sharedInstanceVisible: false } })
    .on('POST', `${LIST}/a/restore`, { body: snippetNamed('a', { version: 5 }) });
  await lab(server).commands.execute(CommandIDs.deleteInstance, PLACE);
  expect(server.seen.at(-1)?.headers.get('If-Match')).toBe('"3"');
  expect(messages()).toEqual(['“A” was deleted.']);
  act('Undo');
  await waitUntil(() => server.count('POST', `${LIST}/a/restore`) === 1);
  expect(server.seen.at(-1)?.body).toEqual({ version: 3 });
});

test('a deletion reports a visible shared instance', async () => {
  const server = new FakeServer()
    .on('GET', `${LIST}/a`, { body: snippetNamed('a') })
    .on('DELETE', `${LIST}/a`, { body: { name: 'a', urn: '', version: 1, sharedInstanceVisible: true } });
  await lab(server).commands.execute(CommandIDs.deleteInstance, PLACE);
  expect(messages()[0]).toContain('The shared instance with this name is now visible again.');
});

test('an unrecoverable deletion asks for confirmation', async () => {
  const server = new FakeServer()
    .on('GET', `${LIST}/a`, { body: snippetNamed('a', { valid: false, reason: 'ValueError' }) })
    .on('DELETE', `${LIST}/a`, { body: { name: 'a', urn: '', version: null, sharedInstanceVisible: false } });
  for (const [answer, removed] of [
    ['Cancel', 0],
    ['Delete', 1]
  ] as const) {
    const running = lab(server).commands.execute(CommandIDs.deleteInstance, PLACE);
    await waitUntil(() => document.querySelector('.jp-Dialog') !== null);
    const buttons = [...document.querySelectorAll<HTMLButtonElement>('.jp-Dialog button')];
    buttons.find(item => item.textContent === answer)?.click();
    await running;
    expect(server.count('DELETE', `${LIST}/a`)).toBe(removed);
  }
  expect(Notification.manager.notifications[0]?.options.actions).toEqual([]);
});

test('the code of a snippet is cached by version', async () => {
  const server = new FakeServer().on('GET', `${LIST}/a`, { body: snippetNamed('a') });
  const atHand = new SnippetCache(new Schemaspaces(server.settings));
  const row = rowOf('a');
  expect(atHand.get('code-snippets', row)).toBeNull();
  atHand.fetch('code-snippets', row);
  await waitUntil(() => atHand.get('code-snippets', row) === 'import pandas\na = 1');
  atHand.fetch('code-snippets', row);
  expect(server.count('GET', `${LIST}/a`)).toBe(1);
  expect(atHand.get('code-snippets', rowOf('a', { version: 2 }))).toBeNull();
});

test('a shared instance is not deleted', async () => {
  const server = new FakeServer().on('GET', `${LIST}/a`, { body: snippetNamed('a', { deletable: false }) });
  await lab(server).commands.execute(CommandIDs.deleteInstance, PLACE);
  expect(server.count('DELETE', `${LIST}/a`)).toBe(0);
  expect(messages()[0]).toContain('shared folder');
});

test('a concurrently changed instance is not deleted', async () => {
  const server = new FakeServer()
    .on('GET', `${LIST}/a`, { body: snippetNamed('a') })
    .on('DELETE', `${LIST}/a`, problem(412, 'it is version 2 by now'));
  await lab(server).commands.execute(CommandIDs.deleteInstance, PLACE);
  expect(messages()).toEqual(['The instance could not be deleted.\nit is version 2 by now']);
});

test('a copy gets a free name and no secrets', async () => {
  const metadata = { language: 'Python', code: [], token: { $secret: true } };
  const server = new FakeServer()
    .on('GET', `${LIST}/a`, { body: snippetNamed('a', { metadata }) })
    .on('POST', LIST, ({ body }) =>
      (body as { display_name: string }).display_name === 'A (copy)'
        ? problem(409, 'taken')
        : { status: 201, body: snippetNamed('a_copy_2', { display_name: 'A (copy 2)' }) }
    );
  const { commands, executed } = lab(server);
  await commands.execute(CommandIDs.duplicateInstance, PLACE);
  expect(server.seen.at(-1)?.body).toMatchObject({ metadata: { language: 'Python', code: [] } });
  expect(messages()).toEqual(['“A (copy 2)” was created. Its secrets were not copied: enter them again.']);
  act('Edit');
  expect(executed).toEqual([
    [CommandIDs.editInstance, { space: 'code-snippets', schema: 'code-snippet', name: 'a_copy_2' }]
  ]);
});

test('commands default to the focused instance', async () => {
  const server = new FakeServer().on('GET', `${LIST}/b`, { body: snippetNamed('b') });
  const { commands, model, executed } = lab(server);
  expect(commands.isEnabled(CommandIDs.openInstance)).toBe(false);
  model.select({ space: 'code-snippets', row: rowOf('b') });
  expect(commands.isEnabled(CommandIDs.openInstance)).toBe(true);
  await commands.execute(CommandIDs.openInstance);
  expect(executed).toEqual([[CommandIDs.editInstance, { space: 'code-snippets', schema: 'code-snippet', name: 'b' }]]);
});

test('every command declares its arguments', async () => {
  const { commands } = lab(new FakeServer());
  for (const id of commands
    .listCommands()
    .filter(item => item.startsWith('colophon:') && item !== CommandIDs.editInstance)) {
    expect(await commands.describedBy(id)).toMatchObject({ args: { type: 'object' } });
    expect(commands.label(id)).not.toBe('');
  }
});

test('a snippet is inserted at the cursor and focused', async () => {
  const server = new FakeServer().on('GET', `${LIST}/a`, { body: snippetNamed('a') });
  const { commands, executed } = lab(server);
  await commands.execute(CommandIDs.insertSnippet, PLACE);
  expect(executed).toEqual([
    ['notebook:replace-selection', { text: 'import pandas\na = 1' }],
    ['notebook:enter-edit-mode', { activate: false }]
  ]);
});

test('in command mode a snippet is inserted into a new cell', async () => {
  const server = new FakeServer().on('GET', `${LIST}/a`, { body: snippetNamed('a') });
  const { commands, widget, executed } = lab(server);
  commands.addCommand('notebook:insert-cell-below', {
    execute: () => void executed.push(['notebook:insert-cell-below', {}])
  });
  const scrolled: unknown[] = [];
  const activeCell = { model: { mimeType: 'text/markdown' } };
  const scrollToCell = (cell: unknown): Promise<void> => Promise.resolve(void scrolled.push(cell));
  widget.content = { mode: 'command', codeMimetype: 'text/x-python', activeCell, scrollToCell };
  await commands.execute(CommandIDs.insertSnippet, PLACE);
  expect(executed.map(([command]) => command)).toEqual([
    'notebook:insert-cell-below',
    'notebook:replace-selection',
    'notebook:enter-edit-mode'
  ]);
  expect(executed[1]?.[1]).toEqual({ text: 'import pandas\na = 1' });
  expect(scrolled).toEqual([activeCell]);
});

test('a snippet of another language asks for confirmation', async () => {
  const metadata = { language: 'R', code: ['x <- 1'] };
  const server = new FakeServer().on('GET', `${LIST}/a`, { body: snippetNamed('a', { metadata }) });
  for (const [answer, inserted] of [
    ['Cancel', 0],
    ['Insert', 2]
  ] as const) {
    const { commands, executed } = lab(server);
    const running = commands.execute(CommandIDs.insertSnippet, PLACE);
    await waitUntil(() => document.querySelector('.jp-Dialog') !== null);
    const buttons = [...document.querySelectorAll<HTMLButtonElement>('.jp-Dialog button')];
    buttons.find(item => item.textContent === answer)?.click();
    await running;
    expect(executed.length).toBe(inserted);
  }
});

test('snippets are fenced in Markdown and need code', async () => {
  const server = new FakeServer().on('GET', `${LIST}/a`, { body: snippetNamed('a') });
  const { commands, widget, executed } = lab(server);
  widget.content = { activeCell: { model: { mimeType: 'text/markdown' } } };
  await commands.execute(CommandIDs.insertSnippet, PLACE);
  expect(executed[0]?.[1]).toEqual({ text: '```python\nimport pandas\na = 1\n```\n' });
  server.on('GET', `${LIST}/a`, { body: snippetNamed('a', { metadata: {} }) });
  await commands.execute(CommandIDs.insertSnippet, PLACE);
  expect(messages()).toEqual(['“a” has no code.']);
});

test('a missing insert target is reported', async () => {
  const server = new FakeServer().on('GET', `${LIST}/a`, { body: snippetNamed('a') });
  const commands = new CommandRegistry();
  const spaces = new Schemaspaces(server.settings);
  const app = { commands, shell: { currentWidget: null, widgets: () => [] } } as unknown as JupyterFrontEnd;
  registerSnippetCommands(app, spaces, new SchemaspacesModel(spaces, null), nullTranslator.load(''));
  await commands.execute(CommandIDs.insertSnippet, PLACE);
  expect(messages()[0]).toContain('open a notebook, a text file or a console first');
});
