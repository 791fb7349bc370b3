import type { ILabStatus } from '@jupyterlab/application';
import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';

/** A page on which something can be typed. */
type Guarded = Widget & {
  content: { model: { readonly dirty: boolean; readonly changed: ISignal<unknown, unknown> } };
};

/** Tells the browser to ask before it leaves while a page is dirty. */
export function guard(tab: Guarded, status: ILabStatus | null): void {
  let dirty: IDisposable | null = null;
  const settle = (): void => {
    const wanted = tab.content.model.dirty;
    if (wanted && !dirty) {
      dirty = status?.setDirty() ?? null;
    } else if (!wanted) {
      dirty?.dispose();
      dirty = null;
    }
  };
  tab.content.model.changed.connect(settle);
  tab.disposed.connect(() => dirty?.dispose());
}
