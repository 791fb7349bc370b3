import type { TranslationBundle } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';
import React from 'react';
import { LivePanel } from '../../components/live-panel';
import type { IPageContext } from '../../plugins/administration/settings-page';
import type { Artifact, SystemAppEvent } from '../../generated/api';
import type { IFormTools, IMetadataService } from '../../tokens';
import { createActions } from './actions';
import { ApplicationsBody } from './body';
import type { AppPanel } from './model';
import { ApplicationsModel } from './model';

export { ApplicationsModel } from './model';

/** The actions of the page. */
export interface IApplicationsActions {
  /** Asks whether to disable an application. */
  confirmDisabling(name: string): Promise<boolean>;
  /** Asks whether to delete an artifact. */
  confirmDeletion(artifact: Artifact): Promise<boolean>;
  /** Asks whether to delete what an application has stored. */
  confirmDroppingTables(name: string): Promise<boolean>;
  /** Asks whether to drop an event. */
  confirmDrop(event: SystemAppEvent): Promise<boolean>;
  /** Opens the page of an entity or a run. */
  openEntity(urn: string): void;
  /** Opens a panel in a tab of its own. */
  openPanel(panel: AppPanel): void;
}

/** The page of system applications. */
export class ApplicationsPanel extends LivePanel<ApplicationsModel> {
  constructor(
    model: ApplicationsModel,
    private _actions: IApplicationsActions,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Applications'));
    this.addClass('jp-Colophon-applications');
  }

  protected override render(): React.JSX.Element {
    return React.createElement(ApplicationsBody, { model: this.model, actions: this._actions, trans: this._trans });
  }
}

/** Creates the page, or the panel of an application. */
export async function createPanel(
  metadata: IMetadataService,
  trans: TranslationBundle,
  _: IFormTools | null,
  context: IPageContext
): Promise<Widget> {
  if (context.item === '') {
    const actions = createActions(metadata, context, trans);
    return new ApplicationsPanel(new ApplicationsModel(metadata, metadata.feed), actions, trans);
  }
  const { createAppPanel } = await import('../app-panel');
  return createAppPanel(metadata, trans, context);
}
