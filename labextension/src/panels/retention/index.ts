import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { LivePanel } from '../../components/live-panel';
import type { ICatalog } from '../../tokens';
import { createActions } from './actions';
import { RetentionBody } from './body';
import { RetentionModel } from './model';

export { RetentionModel } from './model';

/** The actions of the page. */
export interface IRetentionActions {
  /** Asks whether to delete a number of expired versions. */
  confirmDeletion(versions: number): Promise<boolean>;
  /** Asks whether to discard the edited rules. */
  confirmDiscard(): Promise<boolean>;
  /** Copies the setting to the clipboard. */
  copy(setting: string): void;
}

/** The page of the rules for how long versions are kept. */
export class RetentionPanel extends LivePanel<RetentionModel> {
  constructor(
    model: RetentionModel,
    private _actions: IRetentionActions,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Retention rules'));
    this.addClass('jp-Colophon-retention');
  }

  /** Whether closing the page discards changes. */
  get isDirty(): boolean {
    return this.model.isDirty;
  }

  confirmClose(): Promise<boolean> {
    return this._actions.confirmDiscard();
  }

  protected override render(): React.JSX.Element {
    return React.createElement(RetentionBody, { model: this.model, actions: this._actions, trans: this._trans });
  }
}

/** Creates the page. */
export function createPanel(catalog: ICatalog, trans: TranslationBundle): RetentionPanel {
  return new RetentionPanel(new RetentionModel(catalog), createActions(trans), trans);
}
