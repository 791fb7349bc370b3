import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { beforeEach, expect, test } from 'vitest';
import { Schemaspaces } from '../../src/api/schemaspaces';
import { CommandIDs } from '../../src/commands';
import { SchemaspacesModel } from '../../src/panels/schemaspace/model';
import { offerInstanceCommands } from '../../src/plugins/instances';
import { offerSnippetCommands, SnippetsAtHand } from '../../src/plugins/snippets';
import { rowOf, snippetNamed } from '../support/instances';
import { FakeServer, problem } from '../support/server';
import { until } from '../support/waiting';

const LIST = 'schemaspaces/code-snippets/instances';
const PLACE = { space: 'code-snippets', name: 'a' };

interface ILab {
  commands: CommandRegistry;
  model: SchemaspacesModel;
  /** What was asked of other commands: id and arguments. */
  asked: [string, unknown][];
  widget: { id: string; content: object };
}

function lab(server: FakeServer): ILab {
  const commands = new CommandRegistry();
  const spaces = new Schemaspaces(server.settings);
  const model = new SchemaspacesModel(spaces, null);
  const asked: [string, unknown][] = [];
  const widget = { id: 'nb', content: { activeCell: { model: { mimeType: 'text/x-ipython' } } } };
  const shell = { currentWidget: widget, activateById: () => undefined };
  const app = { commands, shell } as unknown as JupyterFrontEnd;
  const trans = nullTranslator.load('');
  offerInstanceCommands(app, spaces, model, trans);
  offerSnippetCommands(app, spaces, model, trans);
  for (const id of [CommandIDs.editInstance, 'notebook:replace-selection', 'notebook:enter-edit-mode']) {
    commands.addCommand(id, { execute: args => void asked.push([id, args]) });
  }
  return { commands, model, asked, widget };
}

function told(): string[] {
  return Notification.manager.notifications.map(one => one.message);
}

function act(label: string): void {
  const actions = Notification.manager.notifications.flatMap(one => one.options.actions ?? []);
  actions.find(action => action.label === label)?.callback(new MouseEvent('click'));
}

beforeEach(() => Notification.dismiss());

test('what was deleted comes back by Undo', async () => {
  const server = new FakeServer()
    .on('GET', `${LIST}/a`, { body: snippetNamed('a', { version: 3 }) })
    .on('DELETE', `${LIST}/a`, { body: { name: 'a', urn: '', version: 3, sharedInstanceVisible: false } })
    .on('POST', `${LIST}/a/restore`, { body: snippetNamed('a', { version: 5 }) });
  await lab(server).commands.execute(CommandIDs.deleteInstance, PLACE);
  expect(server.seen.at(-1)?.headers.get('If-Match')).toBe('"3"');
  expect(told()).toEqual(['“A” was deleted.']);
  act('Undo');
  await until(() => server.count('POST', `${LIST}/a/restore`) === 1);
  expect(server.seen.at(-1)?.body).toEqual({ version: 3 });
});

test('what a removal uncovers is told', async () => {
  const server = new FakeServer()
    .on('GET', `${LIST}/a`, { body: snippetNamed('a') })
    .on('DELETE', `${LIST}/a`, { body: { name: 'a', urn: '', version: 1, sharedInstanceVisible: true } });
  await lab(server).commands.execute(CommandIDs.deleteInstance, PLACE);
  expect(told()[0]).toContain('A shared one of the same name is there still.');
});

test('what cannot be brought back is deleted only after a question', async () => {
  const server = new FakeServer()
    .on('GET', `${LIST}/a`, { body: snippetNamed('a', { valid: false, reason: 'ValueError' }) })
    .on('DELETE', `${LIST}/a`, { body: { name: 'a', urn: '', version: null, sharedInstanceVisible: false } });
  for (const [answer, removed] of [
    ['Cancel', 0],
    ['Delete', 1]
  ] as const) {
    const running = lab(server).commands.execute(CommandIDs.deleteInstance, PLACE);
    await until(() => document.querySelector('.jp-Dialog') !== null);
    const buttons = [...document.querySelectorAll<HTMLButtonElement>('.jp-Dialog button')];
    buttons.find(one => one.textContent === answer)?.click();
    await running;
    expect(server.count('DELETE', `${LIST}/a`)).toBe(removed);
  }
  expect(Notification.manager.notifications[0]?.options.actions).toEqual([]);
});

test('the code of a snippet is at hand once the pointer went down on it, and anew when it changed', async () => {
  const server = new FakeServer().on('GET', `${LIST}/a`, { body: snippetNamed('a') });
  const atHand = new SnippetsAtHand(new Schemaspaces(server.settings));
  const row = rowOf('a');
  expect(atHand.get('code-snippets', row)).toBeNull();
  atHand.fetch('code-snippets', row);
  await until(() => atHand.get('code-snippets', row) === 'import pandas\na = 1');
  atHand.fetch('code-snippets', row);
  expect(server.count('GET', `${LIST}/a`)).toBe(1);
  expect(atHand.get('code-snippets', rowOf('a', { version: 2 }))).toBeNull();
});

test('what belongs to everybody is not deleted, and that is said', async () => {
  const server = new FakeServer().on('GET', `${LIST}/a`, { body: snippetNamed('a', { deletable: false }) });
  await lab(server).commands.execute(CommandIDs.deleteInstance, PLACE);
  expect(server.count('DELETE', `${LIST}/a`)).toBe(0);
  expect(told()[0]).toContain('shared folder');
});

test('what somebody changed meanwhile is not deleted, and why is told', async () => {
  const server = new FakeServer()
    .on('GET', `${LIST}/a`, { body: snippetNamed('a') })
    .on('DELETE', `${LIST}/a`, problem(412, 'it is version 2 by now'));
  await lab(server).commands.execute(CommandIDs.deleteInstance, PLACE);
  expect(told()).toEqual(['It could not be deleted.\nit is version 2 by now']);
});

test('a copy takes the next free name, leaves secrets behind and says so', async () => {
  const metadata = { language: 'Python', code: [], token: { $secret: true } };
  const server = new FakeServer()
    .on('GET', `${LIST}/a`, { body: snippetNamed('a', { metadata }) })
    .on('POST', LIST, ({ body }) =>
      (body as { display_name: string }).display_name === 'A (copy)'
        ? problem(409, 'taken')
        : { status: 201, body: snippetNamed('a_copy_2', { display_name: 'A (copy 2)' }) }
    );
  const { commands, asked } = lab(server);
  await commands.execute(CommandIDs.duplicateInstance, PLACE);
  expect(server.seen.at(-1)?.body).toMatchObject({ metadata: { language: 'Python', code: [] } });
  expect(told()).toEqual(['“A (copy 2)” was made. Its secrets were not copied: type them anew.']);
  act('Edit');
  expect(asked).toEqual([
    [CommandIDs.editInstance, { space: 'code-snippets', schema: 'code-snippet', name: 'a_copy_2' }]
  ]);
});

test('without arguments a command is about the instance that somebody is at in the panel', async () => {
  const server = new FakeServer().on('GET', `${LIST}/b`, { body: snippetNamed('b') });
  const { commands, model, asked } = lab(server);
  expect(commands.isEnabled(CommandIDs.openInstance)).toBe(false);
  model.select({ space: 'code-snippets', row: rowOf('b') });
  expect(commands.isEnabled(CommandIDs.openInstance)).toBe(true);
  await commands.execute(CommandIDs.openInstance);
  expect(asked).toEqual([[CommandIDs.editInstance, { space: 'code-snippets', schema: 'code-snippet', name: 'b' }]]);
});

test('every command says which arguments it takes', async () => {
  const { commands } = lab(new FakeServer());
  for (const id of commands
    .listCommands()
    .filter(one => one.startsWith('colophon:') && one !== CommandIDs.editInstance)) {
    expect(await commands.describedBy(id)).toMatchObject({ args: { type: 'object' } });
    expect(commands.label(id)).not.toBe('');
  }
});

test('a snippet goes to the cursor of the cell, and the keyboard with it', async () => {
  const server = new FakeServer().on('GET', `${LIST}/a`, { body: snippetNamed('a') });
  const { commands, asked } = lab(server);
  await commands.execute(CommandIDs.insertSnippet, PLACE);
  expect(asked).toEqual([
    ['notebook:replace-selection', { text: 'import pandas\na = 1' }],
    ['notebook:enter-edit-mode', { activate: false }]
  ]);
});

test('in command mode a snippet goes into a new cell below, to which the notebook scrolls', async () => {
  const server = new FakeServer().on('GET', `${LIST}/a`, { body: snippetNamed('a') });
  const { commands, widget, asked } = lab(server);
  commands.addCommand('notebook:insert-cell-below', {
    execute: () => void asked.push(['notebook:insert-cell-below', {}])
  });
  const scrolled: unknown[] = [];
  const activeCell = { model: { mimeType: 'text/markdown' } };
  const scrollToCell = (cell: unknown): Promise<void> => Promise.resolve(void scrolled.push(cell));
  widget.content = { mode: 'command', codeMimetype: 'text/x-python', activeCell, scrollToCell };
  await commands.execute(CommandIDs.insertSnippet, PLACE);
  expect(asked.map(([command]) => command)).toEqual([
    'notebook:insert-cell-below',
    'notebook:replace-selection',
    'notebook:enter-edit-mode'
  ]);
  expect(asked[1]?.[1]).toEqual({ text: 'import pandas\na = 1' });
  expect(scrolled).toEqual([activeCell]);
});

test('a snippet of another language is inserted only if that is wanted', async () => {
  const metadata = { language: 'R', code: ['x <- 1'] };
  const server = new FakeServer().on('GET', `${LIST}/a`, { body: snippetNamed('a', { metadata }) });
  for (const [answer, inserted] of [
    ['Cancel', 0],
    ['Insert', 2]
  ] as const) {
    const { commands, asked } = lab(server);
    const running = commands.execute(CommandIDs.insertSnippet, PLACE);
    await until(() => document.querySelector('.jp-Dialog') !== null);
    const buttons = [...document.querySelectorAll<HTMLButtonElement>('.jp-Dialog button')];
    buttons.find(one => one.textContent === answer)?.click();
    await running;
    expect(asked.length).toBe(inserted);
  }
});

test('in Markdown code stands between fences, and what has no code is not inserted', async () => {
  const server = new FakeServer().on('GET', `${LIST}/a`, { body: snippetNamed('a') });
  const { commands, widget, asked } = lab(server);
  widget.content = { activeCell: { model: { mimeType: 'text/markdown' } } };
  await commands.execute(CommandIDs.insertSnippet, PLACE);
  expect(asked[0]?.[1]).toEqual({ text: '```python\nimport pandas\na = 1\n```\n' });
  server.on('GET', `${LIST}/a`, { body: snippetNamed('a', { metadata: {} }) });
  await commands.execute(CommandIDs.insertSnippet, PLACE);
  expect(told()).toEqual(['“a” has no code.']);
});

test('where there is no place for a snippet, that is said', async () => {
  const server = new FakeServer().on('GET', `${LIST}/a`, { body: snippetNamed('a') });
  const commands = new CommandRegistry();
  const spaces = new Schemaspaces(server.settings);
  const app = { commands, shell: { currentWidget: null, widgets: () => [] } } as unknown as JupyterFrontEnd;
  offerSnippetCommands(app, spaces, new SchemaspacesModel(spaces, null), nullTranslator.load(''));
  await commands.execute(CommandIDs.insertSnippet, PLACE);
  expect(told()[0]).toContain('open a notebook, a text file or a console first');
});
