import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { LivePanel } from '../../components/live-panel';
import { notifyError, notifyWarning } from '../../components/notify';
import type { IBulkResult } from '../../model/editing/bulk-edit';
import { toProblem } from '../../model/problem';
import { BulkEditBody } from './body';
import type { BulkEditModel } from './model';

export { BulkEditModel } from './model';

/** How long the notification of a change is shown, in ms; it remains in the list of notifications. */
const SHOWN_MS = 10_000;

/** The page that edits the tags and the owner of many entities. */
export class BulkEditPanel extends LivePanel<BulkEditModel> {
  constructor(
    model: BulkEditModel,
    private _openEntity: (urn: string) => void,
    private _trans: TranslationBundle
  ) {
    super(model, _trans._n('Edit %1 entity', 'Edit %1 entities', model.urns.length));
    this.addClass('jp-Colophon-bulkEdit');
    model.applied.connect(this._notify, this);
  }

  protected override render(): React.JSX.Element {
    return React.createElement(BulkEditBody, {
      model: this.model,
      openEntity: this._openEntity,
      undo: result => void this._undo(result),
      trans: this._trans
    });
  }

  /** Reports a change, with a button that undoes it; it works after the page was closed, too. */
  private _notify(_: BulkEditModel, result: IBulkResult): void {
    const trans = this._trans;
    const rejected = result.outcomes.length - result.applied.length;
    const lines = [trans._n('%1 entity changed.', '%1 entities changed.', result.applied.length)];
    if (rejected > 0) {
      lines.push(trans._n('%1 entity was not changed.', '%1 entities were not changed.', rejected));
    }
    const actions =
      result.applied.length > 0 ? [{ label: trans.__('Undo'), callback: () => void this._undo(result) }] : [];
    const type = rejected > 0 ? 'warning' : 'success';
    this._notifications.set(result, Notification.emit(lines.join(' '), type, { autoClose: SHOWN_MS, actions }));
  }

  private async _undo(result: IBulkResult): Promise<void> {
    const trans = this._trans;
    const notification = this._notifications.get(result);
    if (notification !== undefined) {
      Notification.dismiss(notification);
    }
    try {
      const kept = await this.model.undo(result);
      if (kept > 0) {
        const text = '%1 entity was changed again in the meantime, and is not restored.';
        const texts = '%1 entities were changed again in the meantime, and are not restored.';
        notifyWarning(trans._n(text, texts, kept));
      }
    } catch (reason) {
      notifyError(trans.__('The change could not be undone.'), toProblem(reason).message);
    }
  }

  /** The notifications of changes, which offer to undo them. */
  private _notifications = new WeakMap<IBulkResult, string>();
}
