import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { toProblem } from '../../model/problem';
import type { ICatalog } from '../../tokens';

/** Explains in a dialog that live changes are disabled, and offers the settings. */
export async function explainPaused(openSettings: () => void, trans: TranslationBundle): Promise<void> {
  const { button } = await showDialog({
    title: trans.__('Live metadata is paused'),
    body: trans.__(
      'Open panels show the metadata at the time they were opened, because “Follow changes” is disabled in the settings. Kernels still record what they read and write.'
    ),
    buttons: [Dialog.cancelButton({ label: trans.__('Close') }), Dialog.okButton({ label: trans.__('Open settings') })]
  });
  if (button.accept) {
    openSettings();
  }
}

/** Explains in a dialog why the server cannot be reached. */
export async function explainAway(catalog: ICatalog, trans: TranslationBundle): Promise<void> {
  const problem = await catalog.call('readHealth', {}).then(() => null, toProblem);
  const body = (
    <div className="jp-Colophon">
      {problem ? (
        <ProblemNote problem={problem} trans={trans} />
      ) : (
        <p>{trans.__('The server answers, but the connection for live changes is interrupted.')}</p>
      )}
      <p>{trans.__('The connection is tried again at least every 30 seconds.')}</p>
    </div>
  );
  await showDialog({
    title: trans.__('Metadata is not live'),
    body: ReactWidget.create(body),
    buttons: [Dialog.okButton({ label: trans.__('Close') })]
  });
}
