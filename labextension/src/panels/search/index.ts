import type { Message } from '@lumino/messaging';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { LivePanel } from '../../components/live-panel';
import { SearchBody } from './body';
import type { IFollowedSearches, IMetadataService, IRegistry, ISearchSection, IStarredEntities } from '../../tokens';
import type { IEntityOpeners } from './entity-row';
import type { SearchModel } from './model';

export { PlainTextConverter } from '../../model/plain-text';
export { SavedSearchStore } from '../../model/search/saved-searches';
export { SearchModel } from './model';

/** The sections of extensions, and what they use. */
export interface IAddedSections {
  registry: IRegistry<ISearchSection>;
  metadata: IMetadataService;
}

/** The actions of the search panel. */
export interface ISearchActions extends IEntityOpeners {
  /** Asks for the name of a saved search; null if the user cancels. */
  askName(): Promise<string | null>;
  /** Opens the page that edits the tags and the owner of several entities. */
  editEntities(urns: readonly string[]): void;
  addTag(tag: string, urn: string): void;
  /** Shows the list of keys, or of glossary terms, domains or owners. */
  showVocabulary(tab: string): void;
}

/** The tab *Metadata* of the left sidebar. */
export class SearchPanel extends LivePanel<SearchModel> {
  constructor(
    model: SearchModel,
    private _starred: IStarredEntities | null,
    private _actions: ISearchActions,
    private _trans: TranslationBundle,
    private _added: IAddedSections | null = null,
    private _followed: IFollowedSearches | null = null
  ) {
    super(model, _trans.__('Metadata'));
    this.addClass('jp-Colophon-search');
  }

  /** Focuses the search box when the panel is activated, and selects its text: what is typed next replaces it. */
  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    const box = this.node.querySelector<HTMLInputElement>('[role="combobox"]');
    box?.focus();
    box?.select();
  }

  protected override render(): React.JSX.Element {
    return React.createElement(SearchBody, {
      model: this.model,
      starred: this._starred,
      followed: this._followed,
      actions: this._actions,
      added: this._added,
      trans: this._trans
    });
  }
}
