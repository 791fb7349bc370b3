import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { LivePanel } from '../../components/live-panel';
import type { IFormTools, IMetadataService } from '../../tokens';
import { createActions } from './actions';
import { PoliciesBody } from './body';
import { PoliciesModel } from './model';

export { PoliciesModel } from './model';

/** The actions of the page. */
export interface IPoliciesActions {
  openEntity(urn: string): void;
  /** Asks for an entity; resolves to its URN, or null if the user cancels. */
  pickEntity(): Promise<string | null>;
  /** Asks whether to delete a policy; `subjects` is whom it concerns. */
  confirmDeletion(name: string, subjects: readonly string[]): Promise<boolean>;
  confirmDiscard(): Promise<boolean>;
}

/** The page of access policies. */
export class PoliciesPanel extends LivePanel<PoliciesModel> {
  constructor(
    model: PoliciesModel,
    private _actions: IPoliciesActions,
    private _tools: IFormTools | null,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Access policies'));
    this.addClass('jp-Colophon-policies');
  }

  /** Whether closing the page discards changes. */
  get isDirty(): boolean {
    return this.model.isDirty;
  }

  confirmClose(): Promise<boolean> {
    return this._actions.confirmDiscard();
  }

  protected override render(): React.JSX.Element {
    return React.createElement(PoliciesBody, {
      model: this.model,
      actions: this._actions,
      tools: this._tools,
      trans: this._trans
    });
  }
}

/** Creates the page. */
export function createPanel(
  metadata: IMetadataService,
  trans: TranslationBundle,
  tools: IFormTools | null
): PoliciesPanel {
  return new PoliciesPanel(new PoliciesModel(metadata, metadata.feed), createActions(metadata, trans), tools, trans);
}
