import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { shortenUrn } from '../../model/urns';
import { LivePanel } from '../../components/live-panel';
import { notifyError } from '../../components/notify';
import { confirmDiscard } from '../../components/confirm-discard';
import { FormTools } from '../../forms/context';
import type { IFormTools } from '../../tokens';
import { getLastPart } from '../../components/labels';
import { EntityBody } from './body';
import type { EntityModel, ISavedEdit } from './model';
import type { IEntityActions, IEntityServices, IPage } from './page';
import { getEntityTitle } from './page';

export { EntityModel } from './model';
export { RememberedTabs } from '../../model/remembered-tabs';
export { TAB_VIEWS } from './tabs';

/** The page of one entity. */
export class EntityPanel extends LivePanel<EntityModel> {
  constructor(
    model: EntityModel,
    actions: IEntityActions,
    private _tools: IFormTools,
    services: IEntityServices,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Metadata of %1', shortenUrn(model.urn)));
    this.addClass('jp-Colophon-entity');
    this._page = { model, actions, services, stopEditing: () => this._stopEditing(), trans: _trans };
    model.saved.connect(this._notify, this);
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
    const body = React.createElement(EntityBody, { page: this._page });
    return React.createElement(FormTools.Provider, { value: this._tools }, body);
  }

  /** Reports a saved edit, with a button that undoes it. */
  private _notify(_: EntityModel, { label, mergedActor, undo }: ISavedEdit): void {
    const trans = this._trans;
    const merged = mergedActor === null ? '' : trans.__('Changes of other fields by %1 were kept.', mergedActor);
    const message = [trans.__('%1 saved.', label), merged].filter(part => part !== '').join(' ');
    const restore = async (): Promise<void> => {
      if (!(await undo())) {
        notifyError(trans.__('The change could not be undone: it was changed again in the meantime.'));
      }
    };
    Notification.success(message, {
      autoClose: 8000,
      actions: [{ label: trans.__('Undo'), callback: () => void restore() }]
    });
  }

  private async _stopEditing(): Promise<boolean> {
    const { model, _trans: trans } = this;
    const { editor } = model.state;
    const title = trans.__('Discard your changes?');
    const body = trans.__('Your changes in this form are not saved.');
    if (model.isDirty && !(await confirmDiscard(title, body, trans.__('Discard'), trans))) {
      return false;
    }
    // It may have been saved while the dialog was open.
    if (model.state.editor === editor) {
      model.stopEditing();
    }
    return true;
  }

  private _refreshTitle(): void {
    const { model, title } = this;
    const name = getEntityTitle(model.urn, model.state.entity);
    title.label = model.state.entity?.displayName ?? getLastPart(name);
    title.caption = name;
    title.className = model.isDirty ? 'jp-mod-dirty' : '';
  }

  private _page: Omit<IPage, 'getTitle'>;
}
