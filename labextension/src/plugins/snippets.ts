import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Clipboard, Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { copyIcon, pasteIcon } from '@jupyterlab/ui-components';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { MessageLoop } from '@lumino/messaging';
import type { Widget } from '@lumino/widgets';
import { CommandIDs } from '../commands';
import type { InstanceSummary } from '../generated/api';
import type { ISnippet } from '../model/snippet';
import { clashes, snippetOf, textFor } from '../model/snippet';
import type { SchemaspacesModel } from '../panels/schemaspace/model';
import type { ISchemaspaces } from '../tokens';
import { INSTANCE_ARGUMENTS, textOf } from './arguments';
import type { IPlace } from './instance-outside';
import { pickedOf, placeOf, tellProblem } from './instance-outside';

/** The schemaspace whose snippets are offered where none is named. */
const SNIPPETS = 'code-snippets';

const AT_HAND_MOST = 20;

const INTO_NOTEBOOK = 'notebook:replace-selection';

/** JupyterLab's own commands that put a text at the cursor, and what brings the keyboard there. */
const PLACES = [
  { insert: INTO_NOTEBOOK, then: 'notebook:enter-edit-mode' },
  { insert: 'fileeditor:replace-selection', then: null },
  { insert: 'console:replace-selection', then: null }
];

/** Code of snippets for a drag, which cannot wait: fetched when the pointer goes down. */
export class SnippetsAtHand {
  constructor(private _spaces: ISchemaspaces) {}

  get(space: string, row: InstanceSummary): string | null {
    return this._code.get(this._key(space, row)) ?? null;
  }

  fetch(space: string, row: InstanceSummary): void {
    const key = this._key(space, row);
    if (this._code.has(key)) {
      return;
    }
    void this._spaces.instance(space, row.name).then(
      instance => {
        const [oldest] = this._code.keys();
        if (this._code.size >= AT_HAND_MOST && oldest !== undefined) {
          this._code.delete(oldest);
        }
        this._code.set(key, snippetOf(instance)?.code ?? '');
      },
      // Then there is nothing to drag; whoever presses Insert is told why.
      () => undefined
    );
  }

  private _key(space: string, row: InstanceSummary): string {
    return JSON.stringify([space, row.name, row.version, row.time]);
  }

  private _code = new Map<string, string>();
}

function member(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value
  );
}

function textAt(value: unknown, ...names: readonly string[]): string {
  const found = member(value, ...names);
  return typeof found === 'string' ? found : '';
}

/** The MIME type of the text that a person is at: a notebook's cell, a console's prompt or a file; empty if unknown. */
function mimeOf(widget: Widget | null): string {
  const found = [
    member(widget, 'content', 'activeCell', 'model', 'mimeType'),
    member(widget, 'content', 'editor', 'model', 'mimeType'),
    member(widget, 'console', 'promptCell', 'model', 'mimeType')
  ].find(mime => typeof mime === 'string');
  return typeof found === 'string' ? found : '';
}

async function mayMix(snippet: ISnippet, trans: TranslationBundle): Promise<boolean> {
  const answer = await showDialog({
    title: trans.__('Insert it all the same?'),
    body: trans.__('“%1” is %2, and the place you are at is another language.', snippet.title, snippet.language),
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: trans.__('Insert') })]
  });
  return answer.button.accept;
}

const ACTIVATION_TRIES = 20;

function isNotebook(widget: Widget): boolean {
  return ['command', 'edit'].includes(textAt(widget, 'content', 'mode'));
}

/** Remembers the notebook that was used last, for snippets that are inserted from another tab. */
class NotebookHistory {
  constructor(private _shell: JupyterFrontEnd.IShell) {
    _shell.currentChanged?.connect((_, { newValue }) => {
      if (newValue && isNotebook(newValue)) {
        this._last = newValue;
      }
    });
    // A notebook whose editor loses the keyboard to a panel is in command mode at once.
    document.addEventListener('focusin', ({ target }) => {
      const element = target instanceof Element ? target : null;
      const notebook = element?.closest('.jp-Notebook');
      if (notebook) {
        this._edited = element?.closest('.cm-content') ? notebook : null;
      }
    });
  }

  /** Whether a notebook is in command mode, and was before the keyboard left it. */
  isSelecting(notebook: Widget): boolean {
    const wasEditing = this._edited !== null && notebook.node.contains(this._edited);
    return textAt(notebook, 'content', 'mode') === 'command' && !wasEditing;
  }

  /** The notebook that was used last and is open still. */
  get last(): Widget | null {
    if (this._last && !this._last.isDisposed) {
      return this._last;
    }
    return [...this._shell.widgets('main')].filter(isNotebook).at(-1) ?? null;
  }

  private _last: Widget | null = null;
  private _edited: Element | null = null;
}

function enabledPlace(commands: JupyterFrontEnd['commands']): (typeof PLACES)[number] | undefined {
  return PLACES.find(one => commands.hasCommand(one.insert) && commands.isEnabled(one.insert));
}

/** Brings a notebook to the front and waits until its commands are about it. */
async function activate({ commands, shell }: JupyterFrontEnd, notebook: Widget): Promise<void> {
  shell.activateById(notebook.id);
  for (let left = ACTIVATION_TRIES; left > 0 && !commands.isEnabled(INTO_NOTEBOOK); left--) {
    MessageLoop.flush();
    await new Promise(resolve => window.setTimeout(resolve, 10));
  }
}

/** Scrolls a notebook to its active cell. */
async function scrollToCell(notebook: Widget): Promise<void> {
  const content = member(notebook, 'content') as { scrollToCell?: (cell: unknown) => Promise<void> } | undefined;
  const cell = member(content, 'activeCell');
  if (cell !== undefined && cell !== null) {
    await content?.scrollToCell?.(cell);
  }
}

/** Brings the keyboard to the code that was inserted. */
async function enter({ commands }: JupyterFrontEnd, widget: Widget, command: string): Promise<void> {
  // A notebook that is activated brings the keyboard to the cell a moment later, and out of its editor.
  MessageLoop.flush();
  await new Promise(resolve => window.setTimeout(resolve));
  await commands.execute(command, { activate: false });
  await scrollToCell(widget);
}

async function insert(
  app: JupyterFrontEnd,
  notebooks: NotebookHistory,
  snippet: ISnippet,
  trans: TranslationBundle
): Promise<void> {
  const { commands, shell } = app;
  const notebook = enabledPlace(commands) ? null : notebooks.last;
  if (notebook) {
    await activate(app, notebook);
  }
  const place = enabledPlace(commands);
  const widget = shell.currentWidget;
  if (!place || widget === null) {
    Notification.warning(trans.__('Nothing was inserted: open a notebook, a text file or a console first.'));
    return;
  }
  // A cell that is only selected keeps its text: the code goes into a new cell below it.
  const below = place.insert === INTO_NOTEBOOK && notebooks.isSelecting(widget);
  const mime = below ? textAt(widget, 'content', 'codeMimetype') : mimeOf(widget);
  if (clashes(snippet, mime) && !(await mayMix(snippet, trans))) {
    return;
  }
  if (below) {
    await commands.execute('notebook:insert-cell-below');
  }
  await commands.execute(place.insert, { text: textFor(snippet, mime) });
  shell.activateById(widget.id);
  if (place.then !== null && commands.hasCommand(place.then)) {
    await enter(app, widget, place.then);
  }
}

/** Finds the snippet that a command is about. */
class SnippetChoice {
  constructor(
    private _spaces: ISchemaspaces,
    private _model: SchemaspacesModel,
    private _trans: TranslationBundle
  ) {}

  /** The snippet of the arguments, of the place that a person is at, or of a question; null when that is given up. */
  async chosen(args: ReadonlyPartialJSONObject, title: string): Promise<ISnippet | null> {
    const place = await this._place(args, title);
    if (place === null) {
      return null;
    }
    const found = snippetOf(await this._spaces.instance(place.space, place.name));
    if (found === null) {
      Notification.warning(this._trans.__('“%1” has no code.', place.name));
    }
    return found;
  }

  private async _place(args: ReadonlyPartialJSONObject, title: string): Promise<IPlace | null> {
    const { current } = this._model.state;
    const here = args['here'] === true && current !== null && current.row.language !== null;
    const known = textOf(args, 'name') !== '' || here ? placeOf(args, this._model) : null;
    const space = textOf(args, 'space');
    return known ?? pickedOf(space === '' ? SNIPPETS : space, title, this._spaces, this._trans);
  }
}

/** What the arguments of a command about a snippet are. */
const SNIPPET_ARGUMENTS = {
  type: 'object',
  properties: {
    space: INSTANCE_ARGUMENTS.properties.space,
    name: INSTANCE_ARGUMENTS.properties.name,
    here: { type: 'boolean', description: 'The snippet that has the focus in the panel; else it is asked which' }
  }
};

/** Offers what can be done with code snippets as commands; the answer is their ids. */
export function offerSnippetCommands(
  app: JupyterFrontEnd,
  spaces: ISchemaspaces,
  model: SchemaspacesModel,
  trans: TranslationBundle
): string[] {
  const choice = new SnippetChoice(spaces, model, trans);
  const notebooks = new NotebookHistory(app.shell);
  const deed = (title: string, failed: string, done: (snippet: ISnippet) => Promise<void> | void) => ({
    describedBy: { args: SNIPPET_ARGUMENTS },
    execute: async (args: ReadonlyPartialJSONObject): Promise<void> => {
      try {
        const snippet = await choice.chosen(args, title);
        if (snippet !== null) {
          await done(snippet);
        }
      } catch (reason) {
        tellProblem(reason, failed);
      }
    }
  });
  app.commands.addCommand(CommandIDs.insertSnippet, {
    label: args => (args['here'] === true ? trans.__('Insert Snippet') : trans.__('Insert Snippet…')),
    caption: trans.__('Put the code of a snippet at the cursor of the notebook, file or console, or into a new cell'),
    icon: pasteIcon,
    ...deed(trans.__('Insert which snippet?'), trans.__('Nothing was inserted.'), snippet =>
      insert(app, notebooks, snippet, trans)
    )
  });
  app.commands.addCommand(CommandIDs.copySnippet, {
    label: args => (args['here'] === true ? trans.__('Copy Code') : trans.__('Copy Snippet…')),
    caption: trans.__('Copy the code of a snippet'),
    icon: copyIcon,
    ...deed(trans.__('Copy which snippet?'), trans.__('Nothing was copied.'), snippet =>
      Clipboard.copyToSystem(snippet.code)
    )
  });
  return [CommandIDs.insertSnippet, CommandIDs.copySnippet];
}
