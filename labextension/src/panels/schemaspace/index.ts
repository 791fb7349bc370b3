import type { Message } from '@lumino/messaging';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { LivePanel } from '../../components/live-panel';
import type { ISchemaspaceActions } from './actions';
import { SchemaspacesBody } from './body';
import type { SchemaspacesModel } from './model';

export { SnippetCache } from './snippet-cache';

/** The tab *Schemaspaces* of the left sidebar. */
export class SchemaspacesPanel extends LivePanel<SchemaspacesModel> {
  constructor(
    model: SchemaspacesModel,
    private _actions: ISchemaspaceActions,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Schemaspaces'));
    this.addClass('jp-Colophon-schemaspaces');
  }

  /** Focuses the first section when the panel is activated. */
  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    if (!this._focusFirst()) {
      this._focusBefore = document.activeElement;
      this.model.changed.connect(this._focusWhenRendered, this);
    }
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this.model.changed.disconnect(this._focusWhenRendered, this);
  }

  /** On the first activation, there is nothing to focus before the answer is rendered. */
  private _focusWhenRendered(): void {
    if (!this.model.state.busy) {
      this.model.changed.disconnect(this._focusWhenRendered, this);
      window.requestAnimationFrame(() => {
        // Unless the user has moved the focus in the meantime.
        if (this.isVisible && document.activeElement === this._focusBefore) {
          this._focusFirst();
        }
        this._focusBefore = null;
      });
    }
  }

  private _focusFirst(): boolean {
    const first = this.node.querySelector<HTMLElement>('.jp-Colophon-spaceHead button, .jp-Colophon-button');
    first?.focus();
    return first !== null;
  }

  private _focusBefore: Element | null = null;

  protected override render(): React.JSX.Element {
    return React.createElement(SchemaspacesBody, { model: this.model, actions: this._actions, trans: this._trans });
  }
}
