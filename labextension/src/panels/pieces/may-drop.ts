import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

/** Asks whether what was typed may go; the harmless answer has the keyboard. */
export async function mayDrop(title: string, body: string, drop: string, trans: TranslationBundle): Promise<boolean> {
  const answer = await showDialog({
    title,
    body,
    buttons: [Dialog.cancelButton({ label: trans.__('Go on editing') }), Dialog.warnButton({ label: drop })],
    defaultButton: 0
  });
  return answer.button.accept;
}
