import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { notifyError } from '../../components/notify';
import type { InstanceBundle, InstanceImport } from '../../generated/api';
import type { BundleProblem } from '../../model/instances/bundle';
import { parseBundle, mergeBundles, countWrites } from '../../model/instances/bundle';
import { ImportReport } from '../../panels/schemaspace/import-report';
import type { ISchemaspaces } from '../../tokens';

/** Asks for JSON files of this computer; empty if the user cancels. */
function chooseFiles(): Promise<File[]> {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = '.json,application/json';
  input.multiple = true;
  return new Promise(resolve => {
    input.addEventListener('change', () => resolve([...(input.files ?? [])]), { once: true });
    input.addEventListener('cancel', () => resolve([]), { once: true });
    input.click();
  });
}

/** Downloads a document as a JSON file. */
function download(fileName: string, document_: object): void {
  const blob = new Blob([`${JSON.stringify(document_, null, 2)}\n`], { type: 'application/json' });
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The browser reads the file asynchronously.
  window.setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function formatProblem(fault: BundleProblem, file: string, trans: TranslationBundle): string {
  switch (fault) {
    case 'no-json':
      return trans.__('%1 is not valid JSON.', file);
    case 'no-instances':
      return trans.__('%1 contains no instances.', file);
    case 'nameless':
      return trans.__('%1 contains instances without a name.', file);
  }
}

/** Reads and merges files; null if one of them is invalid, which is reported. */
async function readFiles(files: readonly File[], trans: TranslationBundle): Promise<InstanceBundle | null> {
  const bundles: InstanceBundle[] = [];
  for (const file of files) {
    const bundle = parseBundle(await file.text(), file.name);
    if (typeof bundle === 'string') {
      notifyError(formatProblem(bundle, file.name, trans));
      return null;
    }
    bundles.push(bundle);
  }
  return bundles.length === 0 ? null : mergeBundles(bundles);
}

/** Shows the preview of an import; returns whether existing instances may be replaced, or null if the user cancels. */
async function confirmImport(preview: InstanceImport, trans: TranslationBundle): Promise<boolean | null> {
  const answer = await showDialog({
    title: trans.__('Import instances'),
    body: new ImportReport(preview, trans),
    buttons: [
      Dialog.cancelButton(),
      Dialog.okButton({ label: trans.__('Import'), className: countWrites(preview, true) > 0 ? '' : 'jp-mod-disabled' })
    ]
  });
  return answer.button.accept ? (answer.value ?? false) : null;
}

/** Imports files that the user chooses, after a preview. */
export async function importInstances(space: string, spaces: ISchemaspaces, trans: TranslationBundle): Promise<void> {
  const bundle = await readFiles(await chooseFiles(), trans);
  if (bundle === null) {
    return;
  }
  const preview = await spaces.importInstances(space, bundle, { dryRun: true, overwrite: false });
  const overwrite = await confirmImport(preview, trans);
  if (overwrite === null) {
    return;
  }
  const { counts } = await spaces.importInstances(space, bundle, { dryRun: false, overwrite });
  const written = counts.created + counts.updated;
  const failed = counts.failed + counts.invalid;
  const messages = [trans._n('%1 instance was imported.', '%1 instances were imported.', written)];
  if (counts.conflict > 0) {
    messages.push(
      trans._n('%1 existing instance was not changed.', '%1 existing instances were not changed.', counts.conflict)
    );
  }
  if (failed > 0) {
    messages.push(trans._n('%1 could not be imported.', '%1 could not be imported.', failed));
  }
  Notification.emit(messages.join(' '), failed > 0 ? 'warning' : 'success', { autoClose: 8000 });
}

/** Downloads the instances of a schemaspace, also invalid ones. */
export async function exportInstances(space: string, spaces: ISchemaspaces): Promise<void> {
  download(`${space}.json`, await spaces.exportInstances(space, { includeInvalid: true }));
}
