import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Clipboard, Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { copyIcon, pasteIcon } from '@jupyterlab/ui-components';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { MessageLoop } from '@lumino/messaging';
import type { Widget } from '@lumino/widgets';
import { CommandIDs } from '../../commands';
import { notifyWarning } from '../../components/notify';
import type { InstanceSummary } from '../../generated/api';
import type { ISnippet } from '../../model/instances/snippet';
import { differsFromTarget, toSnippet, formatForTarget } from '../../model/instances/snippet';
import { canInsertCode } from '../../notebook/application-page';
import type { SchemaspacesModel } from '../../panels/schemaspace/model';
import type { ISchemaspaces } from '../../tokens';
import { INSTANCE_ARGUMENTS, getText } from '../arguments';
import type { IInstanceName } from '../command-targets';
import { askInstance, resolveInstance, showError } from '../command-targets';

/** The default schemaspace of snippets. */
const SNIPPETS = 'code-snippets';

const MAX_CACHED = 20;

const INTO_NOTEBOOK = 'notebook:replace-selection';

/** JupyterLab's commands that insert text at the cursor, and the commands that focus the editor afterwards. */
const INSERT_TARGETS = [
  { insert: INTO_NOTEBOOK, then: 'notebook:enter-edit-mode' },
  { insert: 'fileeditor:replace-selection', then: null },
  { insert: 'console:replace-selection', then: null }
];

/** Caches the code of snippets for drag and drop, which cannot wait: it is fetched on pointer down. */
export class SnippetCache {
  constructor(private _spaces: ISchemaspaces) {}

  get(space: string, row: InstanceSummary): string | null {
    return this._code.get(this._getKey(space, row)) ?? null;
  }

  fetch(space: string, row: InstanceSummary): void {
    const key = this._getKey(space, row);
    if (this._code.has(key)) {
      return;
    }
    void this._spaces.readInstance(space, row.name).then(
      instance => {
        const [oldest] = this._code.keys();
        if (this._code.size >= MAX_CACHED && oldest !== undefined) {
          this._code.delete(oldest);
        }
        this._code.set(key, toSnippet(instance)?.code ?? '');
      },
      // Then the snippet cannot be dragged; the command Insert reports the error.
      () => undefined
    );
  }

  private _getKey(space: string, row: InstanceSummary): string {
    return JSON.stringify([space, row.name, row.version, row.time]);
  }

  private _code = new Map<string, string>();
}

function getMember(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value
  );
}

function getTextAt(value: unknown, ...names: readonly string[]): string {
  const text = getMember(value, ...names);
  return typeof text === 'string' ? text : '';
}

/** Returns the MIME type of the current editor: a notebook cell, a console prompt or a file; empty if unknown. */
function getMimeType(widget: Widget | null): string {
  const mimeType = [
    getMember(widget, 'content', 'activeCell', 'model', 'mimeType'),
    getMember(widget, 'content', 'editor', 'model', 'mimeType'),
    getMember(widget, 'console', 'promptCell', 'model', 'mimeType')
  ].find(mime => typeof mime === 'string');
  return typeof mimeType === 'string' ? mimeType : '';
}

async function confirmOtherLanguage(snippet: ISnippet, trans: TranslationBundle): Promise<boolean> {
  const answer = await showDialog({
    title: trans.__('Insert anyway?'),
    body: trans.__(
      '“%1” is %2 code, but the active editor uses a different language.',
      snippet.title,
      snippet.language
    ),
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: trans.__('Insert') })]
  });
  return answer.button.accept;
}

const MAX_ACTIVATION_POLLS = 20;

function isNotebook(widget: Widget): boolean {
  return ['command', 'edit'].includes(getTextAt(widget, 'content', 'mode'));
}

/** Tracks the last used notebook, for snippets that are inserted from another tab. */
class NotebookHistory {
  constructor(private _shell: JupyterFrontEnd.IShell) {
    _shell.currentChanged?.connect((_, { newValue }) => {
      if (newValue && isNotebook(newValue)) {
        this._last = newValue;
      }
    });
    // A notebook whose editor loses the focus to a panel switches to command mode at once.
    document.addEventListener('focusin', ({ target }) => {
      const element = target instanceof Element ? target : null;
      const notebook = element?.closest('.jp-Notebook');
      if (notebook) {
        this._edited = element?.closest('.cm-content') ? notebook : null;
      }
    });
  }

  /** Whether a notebook is in command mode, and was before it lost the focus. */
  isSelecting(notebook: Widget): boolean {
    const wasEditing = this._edited !== null && notebook.node.contains(this._edited);
    return getTextAt(notebook, 'content', 'mode') === 'command' && !wasEditing;
  }

  /** The last used notebook that is still open. */
  get last(): Widget | null {
    if (this._last && !this._last.isDisposed) {
      return this._last;
    }
    return [...this._shell.widgets('main')].filter(isNotebook).at(-1) ?? null;
  }

  private _last: Widget | null = null;
  private _edited: Element | null = null;
}

function findInsertTarget(commands: JupyterFrontEnd['commands']): (typeof INSERT_TARGETS)[number] | undefined {
  return INSERT_TARGETS.find(target => commands.hasCommand(target.insert) && commands.isEnabled(target.insert));
}

/** Activates a notebook, and waits until its commands are enabled. */
async function activateNotebook({ commands, shell }: JupyterFrontEnd, notebook: Widget): Promise<void> {
  shell.activateById(notebook.id);
  for (let left = MAX_ACTIVATION_POLLS; left > 0 && !commands.isEnabled(INTO_NOTEBOOK); left--) {
    MessageLoop.flush();
    await new Promise(resolve => window.setTimeout(resolve, 10));
  }
}

/** Scrolls a notebook to its active cell. */
async function scrollToCell(notebook: Widget): Promise<void> {
  const content = getMember(notebook, 'content') as { scrollToCell?: (cell: unknown) => Promise<void> } | undefined;
  const cell = getMember(content, 'activeCell');
  if (cell !== undefined && cell !== null) {
    await content?.scrollToCell?.(cell);
  }
}

/** Focuses the inserted code. */
async function focusEditor({ commands }: JupyterFrontEnd, widget: Widget, command: string): Promise<void> {
  // An activated notebook focuses the cell asynchronously, and leaves its editor.
  MessageLoop.flush();
  await new Promise(resolve => window.setTimeout(resolve));
  await commands.execute(command, { activate: false });
  await scrollToCell(widget);
}

async function insertSnippet(
  app: JupyterFrontEnd,
  notebooks: NotebookHistory,
  snippet: ISnippet,
  trans: TranslationBundle
): Promise<void> {
  const { commands, shell } = app;
  const notebook = findInsertTarget(commands) ? null : notebooks.last;
  if (notebook) {
    await activateNotebook(app, notebook);
  }
  const place = findInsertTarget(commands);
  const widget = shell.currentWidget;
  if (!place || widget === null) {
    notifyWarning(trans.__('Cannot insert the code: open a notebook, a text file or a console first.'));
    return;
  }
  // A selected cell keeps its text: the code is inserted into a new cell below it.
  const below = place.insert === INTO_NOTEBOOK && notebooks.isSelecting(widget);
  const mime = below ? getTextAt(widget, 'content', 'codeMimetype') : getMimeType(widget);
  if (differsFromTarget(snippet, mime) && !(await confirmOtherLanguage(snippet, trans))) {
    return;
  }
  if (below) {
    await commands.execute('notebook:insert-cell-below');
  }
  await commands.execute(place.insert, { text: formatForTarget(snippet, mime) });
  shell.activateById(widget.id);
  if (place.then !== null && commands.hasCommand(place.then)) {
    await focusEditor(app, widget, place.then);
  }
}

/** Resolves the snippet of a command. */
class SnippetResolver {
  constructor(
    private _spaces: ISchemaspaces,
    private _model: SchemaspacesModel,
    private _trans: TranslationBundle
  ) {}

  /** Returns the snippet of the arguments, the focused one, or asks; null if the user cancels. */
  async resolve(args: ReadonlyPartialJSONObject, title: string): Promise<ISnippet | null> {
    const place = await this._resolveInstance(args, title);
    if (place === null) {
      return null;
    }
    const snippet = toSnippet(await this._spaces.readInstance(place.space, place.name));
    if (snippet === null) {
      notifyWarning(this._trans.__('“%1” has no code.', place.name));
    }
    return snippet;
  }

  private async _resolveInstance(args: ReadonlyPartialJSONObject, title: string): Promise<IInstanceName | null> {
    const { current } = this._model.state;
    const here = args['here'] === true && current !== null && current.row.language !== null;
    const target = getText(args, 'name') !== '' || here ? resolveInstance(args, this._model) : null;
    const space = getText(args, 'space');
    return target ?? askInstance(space === '' ? SNIPPETS : space, title, this._spaces, this._trans);
  }
}

/** The schema of the arguments of a command for a snippet. */
const SNIPPET_ARGUMENTS = {
  type: 'object',
  properties: {
    space: INSTANCE_ARGUMENTS.properties.space,
    name: INSTANCE_ARGUMENTS.properties.name,
    here: { type: 'boolean', description: 'Use the focused snippet of the panel; otherwise, ask for one' }
  }
};

/** The schema of the arguments of the command that inserts code. */
const CODE_ARGUMENTS = {
  type: 'object',
  properties: {
    code: { type: 'string', description: 'The code' },
    language: { type: 'string', description: 'The language of the code, if it is known' },
    title: { type: 'string', description: 'What the code is, for messages' }
  },
  required: ['code']
};

/** Registers the commands for code snippets; returns their ids. */
export function registerSnippetCommands(
  app: JupyterFrontEnd,
  spaces: ISchemaspaces,
  model: SchemaspacesModel,
  trans: TranslationBundle
): string[] {
  const choice = new SnippetResolver(spaces, model, trans);
  const notebooks = new NotebookHistory(app.shell);
  const createCommand = (title: string, failed: string, run: (snippet: ISnippet) => Promise<void> | void) => ({
    describedBy: { args: SNIPPET_ARGUMENTS },
    execute: async (args: ReadonlyPartialJSONObject): Promise<void> => {
      try {
        const snippet = await choice.resolve(args, title);
        if (snippet !== null) {
          await run(snippet);
        }
      } catch (reason) {
        showError(reason, failed);
      }
    }
  });
  app.commands.addCommand(CommandIDs.insertSnippet, {
    label: args => (args['here'] === true ? trans.__('Insert Snippet') : trans.__('Insert Snippet…')),
    caption: trans.__('Insert the code of a snippet at the cursor, or into a new cell'),
    icon: pasteIcon,
    isVisible: canInsertCode,
    ...createCommand(
      trans.__('Select the snippet to insert'),
      trans.__('The snippet could not be inserted.'),
      snippet => insertSnippet(app, notebooks, snippet, trans)
    )
  });
  app.commands.addCommand(CommandIDs.insertCode, {
    label: trans.__('Insert Code'),
    caption: trans.__('Insert code at the cursor, or into a new cell'),
    icon: pasteIcon,
    describedBy: { args: CODE_ARGUMENTS },
    isEnabled: args => canInsertCode() && getText(args, 'code') !== '',
    execute: args => {
      const [title, language, code] = [getText(args, 'title'), getText(args, 'language'), getText(args, 'code')];
      return insertSnippet(app, notebooks, { title, language, code }, trans);
    }
  });
  app.commands.addCommand(CommandIDs.copySnippet, {
    label: args => (args['here'] === true ? trans.__('Copy Code') : trans.__('Copy Snippet…')),
    caption: trans.__('Copy the code of a snippet'),
    icon: copyIcon,
    ...createCommand(trans.__('Select the snippet to copy'), trans.__('The snippet could not be copied.'), snippet => {
      Clipboard.copyToSystem(snippet.code);
      Notification.info(trans.__('Copied.'), { autoClose: 2000 });
    })
  });
  return [CommandIDs.insertSnippet, CommandIDs.copySnippet];
}
