import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { LivePanel } from '../../components/live-panel';
import type { ICatalog } from '../../tokens';
import { createActions } from './actions';
import { ServiceTokensBody } from './body';
import { ServiceTokensModel } from './model';

export { ServiceTokensModel } from './model';

/** The actions of the page. */
export interface IServiceTokenActions {
  /** Copies a token to the clipboard. */
  copy(token: string): void;
  /** Asks whether to replace a token; resolves to the seconds for which the earlier one is accepted, or null. */
  confirmRotation(name: string): Promise<number | null>;
  confirmRevocation(name: string): Promise<boolean>;
}

/** The page of service tokens. */
export class ServiceTokensPanel extends LivePanel<ServiceTokensModel> {
  constructor(
    model: ServiceTokensModel,
    private _actions: IServiceTokenActions,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Service tokens'));
    this.addClass('jp-Colophon-serviceTokens');
  }

  protected override render(): React.JSX.Element {
    return React.createElement(ServiceTokensBody, { model: this.model, actions: this._actions, trans: this._trans });
  }
}

/** Creates the page. */
export function createPanel(catalog: ICatalog, trans: TranslationBundle): ServiceTokensPanel {
  return new ServiceTokensPanel(new ServiceTokensModel(catalog), createActions(trans), trans);
}
