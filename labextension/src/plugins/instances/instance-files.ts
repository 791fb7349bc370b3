import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { downloadIcon, fileUploadIcon } from '@jupyterlab/ui-components';
import { CommandIDs } from '../../commands';
import { notifyError } from '../../components/notify';
import type { InstanceBundle, InstanceImport } from '../../generated/api';
import type { BundleProblem } from '../../model/instances/bundle';
import { parseBundle, mergeBundles, countWrites } from '../../model/instances/bundle';
import { ImportReport } from '../../panels/schemaspace/import-report';
import type { SchemaspacesModel } from '../../panels/schemaspace/model';
import type { ISchemaspaces } from '../../tokens';
import { INSTANCE_ARGUMENTS } from '../arguments';
import { resolveSpace, showError } from '../command-targets';

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

async function importInstances(space: string, spaces: ISchemaspaces, trans: TranslationBundle): Promise<void> {
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

/** Registers the commands for import and export; returns their ids. */
export function registerFileCommands(
  { commands }: JupyterFrontEnd,
  spaces: ISchemaspaces,
  model: SchemaspacesModel,
  trans: TranslationBundle
): string[] {
  const describedBy = { args: { type: 'object', properties: { space: INSTANCE_ARGUMENTS.properties.space } } };
  commands.addCommand(CommandIDs.importInstances, {
    label: trans.__('Import Instances…'),
    caption: trans.__('Import instances from JSON files after a preview'),
    icon: fileUploadIcon,
    describedBy,
    execute: async args => {
      try {
        const space = await resolveSpace(args, spaces, trans);
        if (space !== null) {
          await importInstances(space, spaces, trans);
          await model.refreshSection(space);
        }
      } catch (reason) {
        showError(reason, trans.__('Import failed.'));
      }
    }
  });
  commands.addCommand(CommandIDs.exportInstances, {
    label: trans.__('Export Instances'),
    caption: trans.__('Download the instances of a schemaspace as JSON, without their secrets'),
    icon: downloadIcon,
    describedBy,
    execute: async args => {
      try {
        const space = await resolveSpace(args, spaces, trans);
        if (space !== null) {
          download(`${space}.json`, await spaces.exportInstances(space, { includeInvalid: true }));
        }
      } catch (reason) {
        showError(reason, trans.__('Export failed.'));
      }
    }
  });
  return [CommandIDs.importInstances, CommandIDs.exportInstances];
}
