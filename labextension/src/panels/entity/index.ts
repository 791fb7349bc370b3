import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { ICellPlace } from '../../model/cell-place';
import { shortenUrn } from '../../model/urns';
import { LivePanel } from '../../components/live-panel';
import { confirmDiscard } from '../../components/confirm-discard';
import { FormTools } from '../../forms/context';
import type { IFormTools } from '../../tokens';
import { getLastPart } from '../../components/labels';
import { EntityBody } from './body';
import type { EntityModel } from './model';

export { EntityModel } from './model';

/** The actions of the page of an entity. */
export interface IEntityActions {
  openEntity(urn: string): void;
  openLineage(urn: string): void;
  openInstance(urn: string): void;
  openCell(place: ICellPlace): void;
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
    model.changed.connect(this._refreshTitle, this);
    this._refreshTitle();
  }

  get isDirty(): boolean {
    return this.model.isDirty;
  }

  confirmClose(): Promise<boolean> {
    const trans = this._trans;
    const body = trans.__('Your changes on this page are not saved.');
    return confirmDiscard(trans.__('Close without saving?'), body, trans.__('Close'), trans);
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
  private _refreshTitle(): void {
    const { model, title } = this;
    const name = model.state.entity?.name ?? shortenUrn(model.urn);
    title.label = getLastPart(name);
    title.caption = name;
    title.className = model.isDirty ? 'jp-mod-dirty' : '';
  }
}
