import type { TranslationBundle } from '@jupyterlab/translation';
import { LabIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { LivePanel } from '../../components/live-panel';
import type { IPageContext } from '../../plugins/administration/settings-page';
import type { IMetadataService, IPanelModule } from '../../tokens';
import { AppPanelBody } from './body';
import { parseItem } from './item';
import { AppPanelModel } from './model';

export { AppPanelModel } from './model';

/** A tab with the panel of an application. */
export class AppPanelTab extends LivePanel<AppPanelModel> {
  constructor(
    model: AppPanelModel,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Panel of the application %1', model.name.app));
    this.addClass('jp-Colophon-appPanel');
    model.changed.connect(this._updateTitle, this);
  }

  protected override render(): React.JSX.Element {
    return React.createElement(AppPanelBody, { model: this.model, trans: this._trans });
  }

  private _updateTitle(): void {
    const { panel } = this.model.state;
    if (panel !== null && panel.title !== this.title.label) {
      if (panel.icon !== '') {
        this.title.icon = LabIcon.resolve({ icon: panel.icon });
      }
      this.title.label = panel.title;
      this.title.caption = this._trans.__('%1 of the application %2', panel.title, panel.app);
      this.node.setAttribute('aria-label', this.title.caption);
    }
  }
}

/** Creates the panel of an application. */
export function createAppPanel(
  metadata: IMetadataService,
  trans: TranslationBundle,
  { app, item, translator }: IPageContext
): AppPanelTab {
  const { serverSettings } = app.serviceManager;
  const services = {
    ...{ metadata, translator, settings: serverSettings },
    // The bundler leaves this import to the browser.
    importModule: (url: string) => import(/* webpackIgnore: true */ url) as Promise<Partial<IPanelModule>>
  };
  return new AppPanelTab(new AppPanelModel(services, parseItem(item)), trans);
}
