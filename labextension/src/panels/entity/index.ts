import { MainAreaWidget } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import React from 'react';
import { metadataIcon } from '../../icons';
import { shortUrn } from '../../model/urns';
import { LivePanel } from '../../components/live-panel';
import { mayDrop } from '../../components/may-drop';
import { FormTools } from '../../forms/context';
import type { IFormTools } from '../../tokens';
import { lastPart } from '../../components/words';
import { EntityBody } from './body';
import type { EntityModel } from './model';

/** What the page of an entity asks of the outside. */
export interface IEntityActions {
  openEntity(urn: string): void;
  openLineage(urn: string): void;
  openInstance(urn: string): void;
}

/** The page of one entity. */
export class EntityPanel extends LivePanel<EntityModel> {
  constructor(
    model: EntityModel,
    private _actions: IEntityActions,
    private _tools: IFormTools,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Metadata of %1', shortUrn(model.urn)));
    this.addClass('jp-Colophon-entity');
  }

  protected override render(): React.JSX.Element {
    const body = React.createElement(EntityBody, {
      model: this.model,
      actions: this._actions,
      stopEditing: this._stopEditing,
      trans: this._trans
    });
    return React.createElement(FormTools.Provider, { value: this._tools }, body);
  }

  private _stopEditing = async (): Promise<void> => {
    const { model, _trans: trans } = this;
    const { editor } = model.state;
    const title = trans.__('Discard your changes?');
    const body = trans.__('What you typed in this form is not saved yet.');
    if (!model.dirty || (await mayDrop(title, body, trans.__('Discard'), trans))) {
      // It may have been saved while the question was open.
      if (model.state.editor === editor) {
        model.stopEditing();
      }
    }
  };
}

/** The tab around it; it asks before it drops what was typed. */
export class EntityTab extends MainAreaWidget<EntityPanel> {
  constructor(
    content: EntityPanel,
    private _trans: TranslationBundle
  ) {
    super({ content });
    this.title.icon = metadataIcon;
    this.title.closable = true;
    content.model.changed.connect(this._title, this);
    this._title();
  }

  protected override onCloseRequest(message: Message): void {
    if (!this.content.model.dirty) {
      super.onCloseRequest(message);
      return;
    }
    void this._mayDrop().then(drop => {
      if (drop) {
        super.onCloseRequest(message);
      }
    });
  }

  private async _mayDrop(): Promise<boolean> {
    return mayDrop(
      this._trans.__('Close without saving?'),
      this._trans.__('What you typed on this page is not saved yet.'),
      this._trans.__('Close'),
      this._trans
    );
  }

  private _title(): void {
    const { model } = this.content;
    this.title.label = lastPart(model.state.entity?.name ?? shortUrn(model.urn));
    this.title.caption = model.urn;
    const dirty = 'jp-mod-dirty';
    this.title.className = model.dirty ? dirty : '';
  }
}
