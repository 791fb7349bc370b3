import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { confirmDiscard } from '../../components/confirm-discard';
import type { IMetadataService } from '../../tokens';
import { chooseEntity } from '../picker/choose-entity';
import type { IPoliciesActions } from '.';

/** Creates the actions of the page, which ask in dialogs. */
export function createActions(metadata: IMetadataService, trans: TranslationBundle): IPoliciesActions {
  return {
    openEntity: urn => metadata.openEntity(urn),
    pickEntity: () => chooseEntity(metadata, trans),
    confirmDeletion: async (name, subjects) => {
      const { button } = await showDialog({
        title: trans.__('Delete the policy %1?', name),
        body: trans.__(
          'It concerns %1. What only this policy grants is denied afterwards, and what only this policy denies is granted. Its history is kept.',
          subjects.length > 0 ? subjects.join(', ') : trans.__('no one')
        ),
        buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Delete') })],
        defaultButton: 0
      });
      return button.accept;
    },
    confirmDiscard: () =>
      confirmDiscard(
        trans.__('Discard the changes of the policy?'),
        trans.__('They have not been saved.'),
        trans.__('Discard'),
        trans
      )
  };
}
