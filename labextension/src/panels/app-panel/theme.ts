import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { IPanelTheme } from '../../tokens';

/** The colour theme of JupyterLab, as the document shows it. */
export class DocumentTheme implements IPanelTheme, IDisposable {
  constructor() {
    this._observer.observe(document.body, { attributeFilter: ['data-jp-theme-light', 'data-jp-theme-name'] });
  }

  get isLight(): boolean {
    return document.body.dataset['jpThemeLight'] !== 'false';
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this._observer.disconnect();
    Signal.clearData(this);
  }

  private _changed = new Signal<this, void>(this);
  private _observer = new MutationObserver(() => this._changed.emit());
  private _isDisposed = false;
}
