import type { ISignal } from '@lumino/signaling';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { ICellPlace } from '../../model/notebooks/cell-place';
import { shortenUrn } from '../../model/urns';
import { LivePanel } from '../../components/live-panel';
import type { ILineageDecorator } from '../../tokens';
import { LineageBody } from './body';
import type { LineageModel } from './model';

export { Layouter } from '../../lineage/layouter';
export { LineageModel } from './model';

/** The actions of the lineage panel. */
export interface ILineageActions {
  openEntity(urn: string): void;
  openLineage(urn: string): void;
  openCell(place: ICellPlace): void;
  copy(text: string): void;
  /** Returns the link that opens a view of an entity. */
  createLink(urn: string, view: string): string;
  /** The marks of nodes that extensions offer, if any. */
  decorator: ILineageDecorator | null;
}

/** The lineage graph of one entity, in the main area. */
export class LineagePanel extends LivePanel<LineageModel> {
  constructor(
    model: LineageModel,
    private _actions: ILineageActions,
    private _themeChanged: ISignal<unknown, unknown> | null,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Lineage of %1', shortenUrn(model.urn)));
    this.addClass('jp-Colophon-lineage');
    model.changed.connect(this._refreshTitle, this);
  }

  protected override render(): React.JSX.Element {
    return React.createElement(LineageBody, {
      model: this.model,
      open: this._open,
      openLineage: this._openLineage,
      openCell: this._openCell,
      copy: this._copy,
      createLink: this._createLink,
      decorator: this._actions.decorator,
      themeChanged: this._themeChanged,
      trans: this._trans
    });
  }

  /** The name of the entity is known when its node is. */
  private _refreshTitle(): void {
    const { scene } = this.model.state;
    const node = scene.nodes.get(this.model.urn)?.node;
    if (node?.title !== undefined) {
      this.title.label = node.title;
      this.title.caption = this._trans.__('Lineage of %1', node.title);
    }
  }

  private _open = (urn: string): void => this._actions.openEntity(urn);
  private _openCell = (place: ICellPlace): void => this._actions.openCell(place);
  private _copy = (text: string): void => this._actions.copy(text);
  private _createLink = (urn: string, view: string): string => this._actions.createLink(urn, view);
  private _openLineage = (urn: string): void => this._actions.openLineage(urn);
}
