import { ReactWidget } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import type { ILiveState, LiveModel } from '../model/live/live-model';

/** A panel that activates its model while it is visible, and disposes of it with itself. */
export abstract class LivePanel<M extends LiveModel<ILiveState>> extends ReactWidget {
  constructor(
    readonly model: M,
    label: string
  ) {
    super();
    this.addClass('jp-Colophon');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', label);
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
    if (this.isVisible) {
      this.model.show();
    }
  }
}
