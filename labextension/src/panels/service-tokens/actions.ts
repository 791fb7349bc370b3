import { Clipboard, Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IServiceTokenActions } from '.';

/** For how long the earlier token can be accepted after a rotation, in seconds. */
const OVERLAP = 3600;

/** Creates the actions of the page, which ask in dialogs. */
export function createActions(trans: TranslationBundle): IServiceTokenActions {
  return {
    copy: token => {
      Clipboard.copyToSystem(token);
      Notification.success(trans.__('Copied to the clipboard'), { autoClose: 2000 });
    },
    confirmRotation: async name => {
      const { button, isChecked } = await showDialog({
        title: trans.__('Rotate the service token %1?', name),
        body: trans.__('A new token with the same rights replaces it. Programs need the new one.'),
        checkbox: { label: trans.__('Accept the earlier token for one more hour'), checked: true },
        buttons: [Dialog.cancelButton(), Dialog.okButton({ label: trans.__('Rotate') })]
      });
      return button.accept ? (isChecked === true ? OVERLAP : 0) : null;
    },
    confirmRevocation: async name => {
      const { button } = await showDialog({
        title: trans.__('Revoke the service token %1?', name),
        body: trans.__('Programs that use it are disconnected within a second. This cannot be undone.'),
        buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Revoke') })]
      });
      return button.accept;
    }
  };
}
