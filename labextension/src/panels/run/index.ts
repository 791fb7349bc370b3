import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { LivePanel } from '../../components/live-panel';
import { shortenUrn } from '../../model/urns';
import { RunBody } from './body';
import type { RunModel } from './model';

/** The page of one run. */
export class RunPanel extends LivePanel<RunModel> {
  constructor(
    model: RunModel,
    private _open: (urn: string) => void,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Run %1', shortenUrn(model.urn)));
    this.addClass('jp-Colophon-entity');
  }

  protected override render(): React.JSX.Element {
    return React.createElement(RunBody, { model: this.model, open: this._open, trans: this._trans });
  }
}
