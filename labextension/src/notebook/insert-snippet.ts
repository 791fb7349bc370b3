import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { MessageLoop } from '@lumino/messaging';
import type { Widget } from '@lumino/widgets';
import { notifyWarning } from '../components/notify';
import type { ISnippet } from '../model/instances/snippet';
import { differsFromTarget, formatForTarget } from '../model/instances/snippet';
import type { NotebookHistory } from './notebook-history';
import { getMember, getTextAt } from './notebook-history';

const INTO_NOTEBOOK = 'notebook:replace-selection';

/** JupyterLab's commands that insert text at the cursor, and the commands that focus the editor afterwards. */
const INSERT_TARGETS = [
  { insert: INTO_NOTEBOOK, then: 'notebook:enter-edit-mode' },
  { insert: 'fileeditor:replace-selection', then: null },
  { insert: 'console:replace-selection', then: null }
];

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

/** Inserts a snippet at the cursor of the current editor, or into a notebook; shows a warning if there is none. */
export async function insertSnippet(
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
