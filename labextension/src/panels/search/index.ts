import type { Message } from '@lumino/messaging';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { metadataIcon } from '../../icons';
import { LivePanel } from '../../components/live-panel';
import { SearchBody } from './body';
import type { SearchModel } from './model';

/** What the search panel asks of the outside. */
export interface ISearchActions {
  openEntity(urn: string): void;
  /** Asks under which name a search is kept; null where it is not. */
  askName(): Promise<string | null>;
}

/** The tab *Metadata* of the left sidebar. */
export class SearchPanel extends LivePanel<SearchModel> {
  constructor(
    model: SearchModel,
    private _actions: ISearchActions,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Metadata'));
    this.id = 'jp-colophon-search';
    this.addClass('jp-Colophon-search');
    this.title.icon = metadataIcon;
    this.title.caption = _trans.__('Metadata');
  }

  /** Whoever opens the panel wants to type. */
  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    this.node.querySelector<HTMLInputElement>('input[type="search"]')?.focus();
  }

  protected override render(): React.JSX.Element {
    return React.createElement(SearchBody, { model: this.model, actions: this._actions, trans: this._trans });
  }
}
