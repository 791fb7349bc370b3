import type { ILabStatus } from '@jupyterlab/application';
import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';

/** A panel with editable content. */
type EditablePanel = Widget & { model: { readonly isDirty: boolean; readonly changed: ISignal<unknown, unknown> } };

/** Makes the browser ask before it leaves the page while a panel has unsaved changes. */
export function warnBeforeUnload(panel: EditablePanel, status: ILabStatus | null): void {
  let dirtyMark: IDisposable | null = null;
  const update = (): void => {
    const isDirty = panel.model.isDirty;
    if (isDirty && !dirtyMark) {
      dirtyMark = status?.setDirty() ?? null;
    } else if (!isDirty) {
      dirtyMark?.dispose();
      dirtyMark = null;
    }
  };
  panel.model.changed.connect(update);
  panel.disposed.connect(() => dirtyMark?.dispose());
}
