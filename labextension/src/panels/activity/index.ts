import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { LivePanel } from '../../components/live-panel';
import type { IFollowedEntities } from '../../tokens';
import { ActivityBody } from './body';
import type { ActivityModel } from './model';

/** The latest changes of the catalog. */
export class ActivityPanel extends LivePanel<ActivityModel> {
  constructor(
    model: ActivityModel,
    private _followed: IFollowedEntities | null,
    private _openEntity: (urn: string) => void,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Metadata activity'));
    this.addClass('jp-Colophon-activityPanel');
  }

  protected override render(): React.JSX.Element {
    return React.createElement(ActivityBody, {
      model: this.model,
      followed: this._followed,
      openEntity: this._openEntity,
      trans: this._trans
    });
  }
}

export { ActivityModel } from './model';
