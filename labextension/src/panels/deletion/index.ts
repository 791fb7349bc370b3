import { Dialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { LivePanel } from '../../components/live-panel';
import { readDisplayNames } from '../../model/display-names';
import { shortenUrn } from '../../model/urns';
import type { ICatalog } from '../../tokens';
import { DeletionBody } from './body';
import { DeletionModel } from './model';

export { writeRemoved } from './model';

/** The content of the dialog. */
class DeletionPanel extends LivePanel<DeletionModel> {
  constructor(
    model: DeletionModel,
    label: string,
    private _trans: TranslationBundle
  ) {
    super(model, label);
    this.addClass('jp-Colophon-deletion');
  }

  protected override render(): React.JSX.Element {
    return React.createElement(DeletionBody, { model: this.model, trans: this._trans });
  }
}

/** What was done. */
export type Deletion = 'cancelled' | 'deleted' | 'undoable';

/** Shows what depends on an entity, and deletes it if the user confirms. Rejects with a `CatalogProblem`. */
export async function confirmAndDelete(catalog: ICatalog, urn: string, trans: TranslationBundle): Promise<Deletion> {
  const names = await readDisplayNames(catalog, [urn]);
  const title = trans.__('Delete %1 from the catalog?', names.get(urn) ?? shortenUrn(urn));
  const model = new DeletionModel(catalog, urn);
  const dialog = new Dialog({
    title,
    body: new DeletionPanel(model, title, trans),
    buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Delete') })],
    defaultButton: 0
  });
  const { button } = await dialog.launch();
  if (!button.accept || !model.state.isLoaded) {
    return 'cancelled';
  }
  await model.delete();
  return model.state.isUndoable ? 'undoable' : 'deleted';
}
