import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { toProblem } from '../../model/problem';
import { useModel } from '../../components/use-model';
import type { IRecording, KernelRecording } from '../../notebook/recording';
import type { ICatalog } from '../../tokens';

/** Explains in a dialog that live changes are disabled, and offers the settings, if the page shows them. */
export async function explainPaused(openSettings: (() => void) | null, trans: TranslationBundle): Promise<void> {
  const { button } = await showDialog({
    title: trans.__('Live metadata is paused'),
    body: trans.__(
      'Open panels show the metadata at the time they were opened, because “Follow changes” is disabled in the settings. Kernels still record what they read and write.'
    ),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Close') }),
      ...(openSettings ? [Dialog.okButton({ label: trans.__('Open settings') })] : [])
    ]
  });
  if (button.accept) {
    openSettings?.();
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

/** Explains in one paragraph whether the kernel of the notebook records, and what changes that. */
function describeRecording({ state, reason, waiting }: IRecording, trans: TranslationBundle): string {
  switch (state) {
    case 'on':
      return trans.__('The kernel of the notebook records what its cells read and write with Spark.');
    case 'off':
      return trans.__(
        'Recording is off in this kernel: the extension was unloaded, or the setting “capture” or COLOPHON_CAPTURE switches it off. Run “%load_ext jupyter_colophon” to record again.'
      );
    case 'away':
      return [
        trans.__('The kernel cannot reach the server: %1.', reason),
        trans._n(
          'It keeps %1 report in a file until the server is back.',
          'It keeps %1 reports in a file until the server is back.',
          waiting
        )
      ].join(' ');
    case 'disconnected':
      return trans.__('The kernel knows no server. Run “%metadata connect URL” to record.');
    case 'unknown':
      return trans.__(
        'The kernel does not record: the extension is not loaded in it. In a Python kernel, run “%load_ext jupyter_colophon”.'
      );
    case 'none':
      return trans.__('No notebook with a kernel is open.');
  }
}

function Recording({ recording, trans }: { recording: KernelRecording; trans: TranslationBundle }): React.JSX.Element {
  return (
    <div className="jp-Colophon" role="status">
      <p>{describeRecording(useModel(recording), trans)}</p>
    </div>
  );
}

/** Explains in a dialog whether the kernel of the current notebook records; the text follows the kernel. */
export async function explainRecording(
  recording: KernelRecording,
  openSearch: () => void,
  trans: TranslationBundle
): Promise<void> {
  if (recording.state.state === 'unknown') {
    recording.retry();
  }
  const { button } = await showDialog({
    title: trans.__('Recording of this notebook'),
    body: ReactWidget.create(<Recording recording={recording} trans={trans} />),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Close') }),
      Dialog.okButton({ label: trans.__('Search metadata') })
    ]
  });
  if (button.accept) {
    openSearch();
  }
}
