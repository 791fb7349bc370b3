import { ReactWidget } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import type { ILiveState, LiveModel } from '../model/live-model';

/** A panel that activates its model while it is visible, and disposes of it with itself. */
export abstract class LivePanel<M extends LiveModel<ILiveState>> extends ReactWidget {
  constructor(
    readonly model: M,
    private _label: string
  ) {
    super();
    this.addClass('jp-Colophon');
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.model.dispose();
      super.dispose();
    }
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.model.show();
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this.model.hide();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    // Not earlier, because MainAreaWidget sets the label of its content to "main area content".
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', this._label);
    if (this.isVisible) {
      this.model.show();
    }
  }
}
