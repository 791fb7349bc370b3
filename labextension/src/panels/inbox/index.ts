import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { LivePanel } from '../../components/live-panel';
import type { RequestListModel } from '../../model/stewardship/request-list';
import { InboxBody } from './body';

export { RequestListModel } from '../../model/stewardship/request-list';

/** The requests that are assigned to the user and the teams of the user, and those that the user made. */
export class InboxPanel extends LivePanel<RequestListModel> {
  constructor(
    model: RequestListModel,
    private _openEntity: (urn: string) => void,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Requests'));
    this.addClass('jp-Colophon-inboxPanel');
  }

  protected override render(): React.JSX.Element {
    return React.createElement(InboxBody, { model: this.model, openEntity: this._openEntity, trans: this._trans });
  }
}
