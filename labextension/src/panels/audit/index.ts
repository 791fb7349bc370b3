import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { downloadFile } from '../../components/download-file';
import { LivePanel } from '../../components/live-panel';
import type { IMetadataService } from '../../tokens';
import { chooseEntity } from '../picker/choose-entity';
import { AuditBody } from './body';
import { AuditModel } from './model';

export { AuditModel } from './model';

/** The actions of the page. */
export interface IAuditActions {
  /** Opens the page of an entity or a run. */
  openEntity(urn: string): void;
  /** Asks for an entity; resolves to its URN, or null if the user cancels. */
  pickEntity(): Promise<string | null>;
  download(name: string, content: Blob): void;
}

/** The page of the audit. */
export class AuditPanel extends LivePanel<AuditModel> {
  constructor(
    model: AuditModel,
    private _actions: IAuditActions,
    private _trans: TranslationBundle
  ) {
    super(model, _trans.__('Audit log'));
    this.addClass('jp-Colophon-audit');
  }

  protected override render(): React.JSX.Element {
    return React.createElement(AuditBody, { model: this.model, actions: this._actions, trans: this._trans });
  }
}

/** Creates the page. */
export function createPanel(metadata: IMetadataService, trans: TranslationBundle): AuditPanel {
  const actions = {
    openEntity: (urn: string) => metadata.openEntity(urn),
    pickEntity: () => chooseEntity(metadata, trans),
    download: downloadFile
  };
  return new AuditPanel(new AuditModel(metadata), actions, trans);
}
