import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { INotebookWidget } from './notebooks';
import { isNotebook, listNotebooks } from './notebooks';

/** The path of the notebook that the user works with. */
export interface ICurrentNotebook {
  /** Relative to the root of the server; null if no notebook is open. */
  readonly state: string | null;
  /** Undefined if no notebook is open. */
  readonly widget?: INotebookWidget | undefined;
  readonly changed: ISignal<ICurrentNotebook, void>;
}

/** Follows the notebook that was current last: a page in another tab leaves it the current one while it is open. */
export class CurrentNotebook implements ICurrentNotebook {
  constructor(private _app: JupyterFrontEnd) {
    const { shell } = _app;
    shell.currentChanged?.connect(this._update, this);
    void _app.restored.then(() => this._update());
  }

  get state(): string | null {
    return this._path;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The widget of the notebook; undefined if no notebook is open. */
  get widget(): INotebookWidget | undefined {
    return this._notebook;
  }

  private _update(): void {
    const { shell, serviceManager } = this._app;
    const opened = listNotebooks(shell);
    const current = shell.currentWidget;
    const notebook = isNotebook(current) ? current : (opened.find(other => other === this._notebook) ?? opened[0]);
    const before = this._notebook;
    if (notebook !== before) {
      this._notebook = notebook;
      // A rename keeps the widget; a second connection of the same slot is ignored.
      notebook?.context.pathChanged.connect(this._update, this);
    }
    const path = notebook ? serviceManager.contents.localPath(notebook.context.path) : null;
    if (path !== this._path || notebook !== before) {
      this._path = path;
      this._changed.emit();
    }
  }

  private _notebook: INotebookWidget | undefined;
  private _path: string | null = null;
  private _changed = new Signal<this, void>(this);
}
