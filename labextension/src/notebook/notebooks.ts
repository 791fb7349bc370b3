import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { Widget } from '@lumino/widgets';

/** The parts of JupyterLab's cells that are used here. */
interface ICellWidget extends Widget {
  readonly model: {
    readonly id: string;
    readonly type: string;
    /** The number in the prompt of a cell that ran. */
    readonly executionCount?: number | null;
    readonly sharedModel: { getSource(): string };
  };
}

/** A signal whose arguments are not used. */
interface ISlots {
  connect(slot: () => void, thisArg: object): boolean;
  disconnect(slot: () => void, thisArg: object): boolean;
}

/** The parts of a connection to a kernel that are used here. */
export interface IKernel {
  readonly id: string;
  readonly status: string;
  /** Whether this connection may open comms: only the first one to a kernel may. */
  readonly handleComms: boolean;
  createComm(target: string): {
    readonly isDisposed: boolean;
    onMsg: (message: { content: { data: unknown } }) => void;
    onClose: () => void;
    open(): void;
    dispose(): void;
  };
}

/**
 * The parts of JupyterLab's notebooks that are used here.
 *
 * They are recognised by their members, because the packages of notebooks are no dependencies of this extension.
 */
export interface INotebookWidget extends Widget {
  readonly context: {
    readonly path: string;
    readonly ready: Promise<void>;
    readonly pathChanged: ISlots;
    readonly sessionContext: {
      readonly session: { readonly kernel: IKernel | null } | null;
      readonly kernelChanged: ISlots;
      readonly statusChanged: ISlots;
    };
  };
  readonly content: Widget & {
    /** Null before the notebook is loaded. */
    readonly model: { readonly cells: { readonly changed: ISlots } } | null;
    readonly widgets: readonly ICellWidget[];
    activeCellIndex: number;
    deselectAll(): void;
    select(cell: ICellWidget): void;
    scrollToItem(index: number, align?: string): Promise<void>;
  };
}

/** Whether a widget is a notebook. */
export function isNotebook(widget: Widget | null | undefined): widget is INotebookWidget {
  const content = (widget as Partial<INotebookWidget> | null | undefined)?.content;
  return content?.widgets !== undefined && typeof content.activeCellIndex === 'number' && 'context' in (widget ?? {});
}

/** Returns the open notebooks. */
export function listNotebooks(shell: JupyterFrontEnd.IShell): INotebookWidget[] {
  return [...shell.widgets('main')].filter(isNotebook);
}

/** Returns the open notebook at a path; undefined if there is none. */
export function findNotebook(shell: JupyterFrontEnd.IShell, path: string): INotebookWidget | undefined {
  return listNotebooks(shell).find(notebook => notebook.context.path === path);
}

/** Opens a notebook, or activates it if it is open; null if the application does not show it as a notebook. */
export async function openNotebook(app: JupyterFrontEnd, path: string): Promise<INotebookWidget | null> {
  const { commands, shell } = app;
  const widget =
    findNotebook(shell, path) ??
    ((await commands.execute('docmanager:open', { path, factory: 'Notebook' })) as Widget | null);
  if (!isNotebook(widget)) {
    return null;
  }
  shell.activateById(widget.id);
  await widget.context.ready;
  return widget;
}
