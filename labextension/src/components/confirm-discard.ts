import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

/** Asks the user to confirm the loss of data. The focus is on the harmless choice. */
export async function confirmDiscard(
  title: string,
  body: string,
  discardLabel: string,
  trans: TranslationBundle,
  keepLabel = trans.__('Keep editing')
): Promise<boolean> {
  const result = await showDialog({
    title,
    body,
    buttons: [Dialog.cancelButton({ label: keepLabel }), Dialog.warnButton({ label: discardLabel })],
    defaultButton: 0
  });
  return result.button.accept;
}
