import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { LivePanel } from '../../components/live-panel';
import { VocabularyBody } from './body';
import type { VocabularyModel } from './model';

export { VocabularyModel } from './model';
export type { VocabularyTab } from './model';

/** The actions of the page. */
export interface IVocabularyActions {
  /** Shows the hits of a query in the search panel. */
  search(query: string): void;
  openEntity(urn: string): void;
  /** Asks for an entity, and adds a tag to it: the alternative to dragging for the keyboard. */
  addTag(tag: string): void;
}

/** The page of keys, glossary terms, domains and owners. */
export class VocabularyPanel extends LivePanel<VocabularyModel> {
  constructor(
    model: VocabularyModel,
    private _actions: IVocabularyActions,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Vocabulary'));
    this.addClass('jp-Colophon-vocabulary');
  }

  protected override render(): React.JSX.Element {
    return React.createElement(VocabularyBody, { model: this.model, actions: this._actions, trans: this._trans });
  }
}
