import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

/** Asks whether something may go that does not come back; the harmless answer has the keyboard. */
export async function mayDrop(
  title: string,
  body: string,
  drop: string,
  trans: TranslationBundle,
  keep = trans.__('Go on editing')
): Promise<boolean> {
  const answer = await showDialog({
    title,
    body,
    buttons: [Dialog.cancelButton({ label: keep }), Dialog.warnButton({ label: drop })],
    defaultButton: 0
  });
  return answer.button.accept;
}
