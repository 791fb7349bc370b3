import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import type { Widget } from '@lumino/widgets';
import { BoxPanel } from '@lumino/widgets';

/** A panel that is loaded on demand; views of React report when they are rendered. */
type LoadedPanel = Widget & { renderPromise?: Promise<void> };

/** The place of a panel: its code is loaded when the place is first shown. A failure can be tried again. */
export class LazyPanel<P extends LoadedPanel> extends BoxPanel {
  constructor(
    private _loadPanel: () => Promise<P>,
    private _trans: TranslationBundle
  ) {
    super({ spacing: 0 });
  }

  /** The panel; null until it is loaded. */
  get panel(): P | null {
    return this._panel;
  }

  protected override onBeforeShow(message: Message): void {
    super.onBeforeShow(message);
    this._load();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    // MainAreaWidget makes its content a region, but the panel in it is one, with a better label.
    this.node.removeAttribute('role');
    this.node.removeAttribute('aria-label');
    if (this.isVisible) {
      this._load();
    }
  }

  /** Activates the panel, also one that is not loaded yet. */
  protected override onActivateRequest(): void {
    this._focusBefore = document.activeElement;
    this._panel?.activate();
  }

  private _load(): void {
    if (this._panel === null && !this._isLoading) {
      this._isLoading = true;
      this._showNote(this._trans.__('Loading…'), 'status');
      this._loadPanel().then(
        panel => this._showPanel(panel),
        (reason: unknown) => this._showFailure(reason)
      );
    }
  }

  private _showPanel(panel: P): void {
    if (this.isDisposed) {
      panel.dispose();
      return;
    }
    this._note?.remove();
    this._panel = panel;
    panel.title.changed.connect(this._copyTitle, this);
    this._copyTitle();
    this.addWidget(panel);
    const focus = this._focusBefore;
    void panel.renderPromise?.then(() => {
      // Unless the user has moved the focus in the meantime.
      if (focus !== null && focus === document.activeElement && panel.isVisible) {
        panel.activate();
      }
    });
  }

  /** Takes over the title of a panel that has one. */
  private _copyTitle(): void {
    const title = this._panel?.title;
    if (title !== undefined && title.label !== '') {
      this.title.label = title.label;
      this.title.caption = title.caption;
      this.title.className = title.className;
      this.title.icon = title.icon ?? this.title.icon;
    }
  }

  private _showFailure(reason: unknown): void {
    this._isLoading = false;
    const { _trans: trans } = this;
    const note = this._showNote(trans.__('This panel could not be loaded: %1', String(reason)), 'alert');
    const retry = document.createElement('button');
    retry.type = 'button';
    retry.className = 'jp-Colophon-button';
    retry.textContent = trans.__('Try again');
    retry.onclick = () => this._load();
    note.append(retry);
  }

  private _showNote(text: string, role: 'status' | 'alert'): HTMLElement {
    this._note?.remove();
    const paragraph = document.createElement('p');
    paragraph.textContent = text;
    const note = document.createElement('div');
    note.className = 'jp-Colophon-loading';
    note.setAttribute('role', role);
    note.append(paragraph);
    this.node.append(note);
    this._note = note;
    return note;
  }

  private _panel: P | null = null;
  private _isLoading = false;
  private _note: HTMLElement | null = null;
  private _focusBefore: Element | null = null;
}
