import { Clipboard, Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { confirmDiscard } from '../../components/confirm-discard';
import type { IRetentionActions } from '.';

/** Creates the actions of the page, which ask in dialogs. */
export function createActions(trans: TranslationBundle): IRetentionActions {
  return {
    confirmDeletion: async versions => {
      const { button } = await showDialog({
        title: trans._n('Delete %1 version?', 'Delete %1 versions?', versions),
        body: trans.__('Current versions are kept. This cannot be undone.'),
        buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Delete') })],
        defaultButton: 0
      });
      return button.accept;
    },
    confirmDiscard: () =>
      confirmDiscard(
        trans.__('Discard the edited rules?'),
        trans.__('They are in force only after they were copied to the configuration of the server.'),
        trans.__('Discard'),
        trans
      ),
    copy: setting => {
      Clipboard.copyToSystem(setting);
      Notification.success(trans.__('Copied to the clipboard'), { autoClose: 2000 });
    }
  };
}
