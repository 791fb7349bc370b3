import type { ILabStatus } from '@jupyterlab/application';
import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';

/** A tab with editable content. */
type EditableTab = Widget & {
  content: { model: { readonly isDirty: boolean; readonly changed: ISignal<unknown, unknown> } };
};

/** Makes the browser ask before it leaves the page while a tab has unsaved changes. */
export function warnBeforeUnload(tab: EditableTab, status: ILabStatus | null): void {
  let dirtyMark: IDisposable | null = null;
  const update = (): void => {
    const isDirty = tab.content.model.isDirty;
    if (isDirty && !dirtyMark) {
      dirtyMark = status?.setDirty() ?? null;
    } else if (!isDirty) {
      dirtyMark?.dispose();
      dirtyMark = null;
    }
  };
  tab.content.model.changed.connect(update);
  tab.disposed.connect(() => dirtyMark?.dispose());
}
