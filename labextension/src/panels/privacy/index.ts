import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { downloadFile } from '../../components/download-file';
import { LivePanel } from '../../components/live-panel';
import type { ICatalog } from '../../tokens';
import { PrivacyBody } from './body';
import { PrivacyModel } from './model';

export { PrivacyModel } from './model';

/** The actions of the page. */
export interface IPrivacyActions {
  download(name: string, content: Blob): void;
}

/** The page of what is recorded of people. */
export class PrivacyPanel extends LivePanel<PrivacyModel> {
  constructor(
    model: PrivacyModel,
    private _actions: IPrivacyActions,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Privacy'));
    this.addClass('jp-Colophon-privacy');
  }

  protected override render(): React.JSX.Element {
    return React.createElement(PrivacyBody, { model: this.model, actions: this._actions, trans: this._trans });
  }
}

/** Creates the page. */
export function createPanel(catalog: ICatalog, trans: TranslationBundle): PrivacyPanel {
  return new PrivacyPanel(new PrivacyModel(catalog), { download: downloadFile }, trans);
}
