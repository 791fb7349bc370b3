import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { focusFirstError } from '../../components/focus-first-error';
import { LivePanel } from '../../components/live-panel';
import { confirmDiscard } from '../../components/confirm-discard';
import { FormTools } from '../../forms/context';
import type { IFormTools } from '../../tokens';
import { InstanceBody } from './body';
import type { InstanceModel } from './model';

export { InstanceModel } from './model';

/** The page of an instance: its form, its history and its errors. */
export class InstancePanel extends LivePanel<InstanceModel> {
  constructor(
    model: InstanceModel,
    private _tools: IFormTools,
    private _remove: () => void,
    private _open: (urn: string) => void,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Instance'));
    this.addClass('jp-Colophon-instance');
    model.changed.connect(this._refreshTitle, this);
    this._refreshTitle();
  }

  get isDirty(): boolean {
    return this.model.isDirty;
  }

  /** Asks whether to discard the changes, and discards them with their draft. */
  async confirmClose(): Promise<boolean> {
    const trans = this._trans;
    const body = trans.__('Your changes on this page are not saved.');
    const confirmed = await confirmDiscard(trans.__('Close without saving?'), body, trans.__('Close'), trans);
    if (confirmed) {
      this.model.discard();
    }
    return confirmed;
  }

  /** Saves, and focuses the first invalid field. */
  async save(): Promise<void> {
    await this.model.save();
    focusFirstError(this.node);
  }

  protected override render(): React.JSX.Element {
    const body = React.createElement(InstanceBody, {
      model: this.model,
      actions: { restore: this._restore, discard: this._discard, remove: this._remove, open: this._open },
      trans: this._trans
    });
    return React.createElement(FormTools.Provider, { value: this._tools }, body);
  }

  private _restore = (version: number): void => {
    void this._confirmDiscard().then(go => (go ? this.model.restore(version) : undefined));
  };

  private _discard = (): void => {
    void this._confirmDiscard().then(go => {
      if (go) {
        this.model.discard();
      }
    });
  };

  private async _confirmDiscard(): Promise<boolean> {
    const { model, _trans: trans } = this;
    const title = trans.__('Discard your changes?');
    const body = trans.__('Your changes in this form are not saved.');
    return !model.isDirty || confirmDiscard(title, body, trans.__('Discard'), trans);
  }

  private _refreshTitle(): void {
    const { model } = this;
    const { instance, space } = model.state;
    const { schema, name } = model.place;
    const kind = space?.schemas.find(({ name: schemaName }) => schemaName === schema)?.title ?? schema;
    const title = instance?.display_name ?? '';
    this.title.label = model.isNew ? this._trans.__('New: %1', kind) : title === '' ? name : title;
    this.title.caption = [space?.display_name ?? model.place.space, kind, name].filter(word => word !== '').join(' · ');
    this.title.className = model.isDirty ? 'jp-mod-dirty' : '';
  }
}
