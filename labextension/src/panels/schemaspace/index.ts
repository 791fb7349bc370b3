import type { Message } from '@lumino/messaging';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { schemaspacesIcon } from '../../icons';
import { LivePanel } from '../../components/live-panel';
import type { ISchemaspaceActions } from './actions';
import { SchemaspacesBody } from './body';
import type { SchemaspacesModel } from './model';

/** The tab *Schemaspaces* of the left sidebar. */
export class SchemaspacesPanel extends LivePanel<SchemaspacesModel> {
  constructor(
    model: SchemaspacesModel,
    private _actions: ISchemaspaceActions,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Schemaspaces'));
    this.id = 'jp-colophon-schemaspaces';
    this.addClass('jp-Colophon-schemaspaces');
    this.title.icon = schemaspacesIcon;
    this.title.caption = _trans.__('Schemaspaces');
  }

  /** Whoever opens the panel goes on from its first section. */
  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    if (!this._focusFirst()) {
      this._from = document.activeElement;
      this.model.changed.connect(this._whenDrawn, this);
    }
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this.model.changed.disconnect(this._whenDrawn, this);
  }

  /** The first time there is nothing to go to before the answer is drawn. */
  private _whenDrawn(): void {
    if (!this.model.state.busy) {
      this.model.changed.disconnect(this._whenDrawn, this);
      window.requestAnimationFrame(() => {
        // Unless somebody went elsewhere meanwhile.
        if (this.isVisible && document.activeElement === this._from) {
          this._focusFirst();
        }
        this._from = null;
      });
    }
  }

  private _focusFirst(): boolean {
    const first = this.node.querySelector<HTMLElement>('.jp-Colophon-spaceHead button, .jp-Colophon-button');
    first?.focus();
    return first !== null;
  }

  private _from: Element | null = null;

  protected override render(): React.JSX.Element {
    return React.createElement(SchemaspacesBody, { model: this.model, actions: this._actions, trans: this._trans });
  }
}
