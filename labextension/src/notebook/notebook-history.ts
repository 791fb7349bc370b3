import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { Widget } from '@lumino/widgets';

/** Returns the member of a value at these names; undefined without one. */
export function getMember(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value
  );
}

/** Returns the text at these names; empty without one. */
export function getTextAt(value: unknown, ...names: readonly string[]): string {
  const text = getMember(value, ...names);
  return typeof text === 'string' ? text : '';
}

function isNotebook(widget: Widget): boolean {
  return ['command', 'edit'].includes(getTextAt(widget, 'content', 'mode'));
}

/** Tracks the last used notebook, for snippets that are inserted from another tab. */
export class NotebookHistory {
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
