import { MainAreaWidget } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import React from 'react';
import { metadataIcon } from '../../icons';
import { shortenUrn } from '../../model/urns';
import { LivePanel } from '../../components/live-panel';
import { confirmDiscard } from '../../components/confirm-discard';
import { FormTools } from '../../forms/context';
import type { IFormTools } from '../../tokens';
import { getLastPart } from '../../components/labels';
import { EntityBody } from './body';
import type { EntityModel } from './model';

/** The actions of the page of an entity. */
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
    super(model, _trans.__('Metadata of %1', shortenUrn(model.urn)));
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
    const body = trans.__('Your changes in this form are not saved.');
    if (!model.isDirty || (await confirmDiscard(title, body, trans.__('Discard'), trans))) {
      // It may have been saved while the dialog was open.
      if (model.state.editor === editor) {
        model.stopEditing();
      }
    }
  };
}

/** The tab of an entity; it asks before it discards unsaved changes. */
export class EntityTab extends MainAreaWidget<EntityPanel> {
  constructor(
    content: EntityPanel,
    private _trans: TranslationBundle
  ) {
    super({ content });
    this.title.icon = metadataIcon;
    this.title.closable = true;
    content.model.changed.connect(this._refreshTitle, this);
    this._refreshTitle();
  }

  protected override onCloseRequest(message: Message): void {
    if (!this.content.model.isDirty) {
      super.onCloseRequest(message);
      return;
    }
    void this._confirmClose().then(drop => {
      if (drop) {
        super.onCloseRequest(message);
      }
    });
  }

  private async _confirmClose(): Promise<boolean> {
    return confirmDiscard(
      this._trans.__('Close without saving?'),
      this._trans.__('Your changes on this page are not saved.'),
      this._trans.__('Close'),
      this._trans
    );
  }

  private _refreshTitle(): void {
    const { model } = this.content;
    this.title.label = getLastPart(model.state.entity?.name ?? shortenUrn(model.urn));
    this.title.caption = model.urn;
    const dirty = 'jp-mod-dirty';
    this.title.className = model.isDirty ? dirty : '';
  }
}
