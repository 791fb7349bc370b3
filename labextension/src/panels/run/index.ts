import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { LivePanel } from '../../components/live-panel';
import { getLastPart } from '../../components/labels';
import { getRunName } from '../../components/run-name';
import type { ICellPlace } from '../../model/notebooks/cell-place';
import { shortenUrn } from '../../model/urns';
import { RunBody } from './body';
import type { RunModel } from './model';

export { RunModel } from './model';

/** The actions of the page of a run. */
export interface IRunActions {
  /** Opens the page of an entity, or of another run. */
  open: (urn: string) => void;
  openCell: (place: ICellPlace) => void;
}

/** The page of one run. */
export class RunPanel extends LivePanel<RunModel> {
  constructor(
    model: RunModel,
    private _actions: IRunActions,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Run %1', shortenUrn(model.urn)));
    this.addClass('jp-Colophon-entity');
    model.changed.connect(this._refreshTitle, this);
  }

  protected override render(): React.JSX.Element {
    return React.createElement(RunBody, { model: this.model, ...this._actions, trans: this._trans });
  }

  /** The origin of a run is more informative than its id. */
  private _refreshTitle(): void {
    const { run } = this.model.state;
    if (run !== null) {
      const origin = getRunName(run, this._trans);
      this.title.label = getLastPart(origin);
      this.title.caption = this._trans.__('Run of %1', origin);
    }
  }
}
