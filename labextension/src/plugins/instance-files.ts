import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { downloadIcon, fileUploadIcon } from '@jupyterlab/ui-components';
import { CommandIDs } from '../commands';
import type { InstanceBundle, InstanceImport } from '../generated/api';
import type { BundleFault } from '../model/bundle';
import { bundleOf, joined, wouldWrite } from '../model/bundle';
import { ImportReport } from '../panels/schemaspace/import-report';
import type { SchemaspacesModel } from '../panels/schemaspace/model';
import type { ISchemaspaces } from '../tokens';
import { INSTANCE_ARGUMENTS } from './arguments';
import { spaceOf, tellProblem } from './instance-outside';

/** Lets a person choose JSON files of this computer; none when that is given up. */
function chosenFiles(): Promise<File[]> {
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

/** Hands a document to the browser as a file to keep. */
function download(fileName: string, document_: object): void {
  const blob = new Blob([`${JSON.stringify(document_, null, 2)}\n`], { type: 'application/json' });
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The browser reads it after this turn.
  window.setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function faultWords(fault: BundleFault, file: string, trans: TranslationBundle): string {
  switch (fault) {
    case 'no-json':
      return trans.__('%1 is no JSON.', file);
    case 'no-instances':
      return trans.__('%1 holds no instances.', file);
    case 'nameless':
      return trans.__('In %1 are instances without a name.', file);
  }
}

/** What the files hold, as one; null when one of them cannot be read, which is told. */
async function readAll(files: readonly File[], trans: TranslationBundle): Promise<InstanceBundle | null> {
  const bundles: InstanceBundle[] = [];
  for (const file of files) {
    const bundle = bundleOf(await file.text(), file.name);
    if (typeof bundle === 'string') {
      Notification.error(faultWords(bundle, file.name, trans));
      return null;
    }
    bundles.push(bundle);
  }
  return bundles.length === 0 ? null : joined(bundles);
}

/** Shows what an import would do; whether it may replace what is there, or null when it is given up. */
async function agreed(dry: InstanceImport, trans: TranslationBundle): Promise<boolean | null> {
  const answer = await showDialog({
    title: trans.__('Import instances'),
    body: new ImportReport(dry, trans),
    buttons: [
      Dialog.cancelButton(),
      Dialog.okButton({ label: trans.__('Import'), className: wouldWrite(dry, true) > 0 ? '' : 'jp-mod-disabled' })
    ]
  });
  return answer.button.accept ? (answer.value ?? false) : null;
}

async function importInto(space: string, spaces: ISchemaspaces, trans: TranslationBundle): Promise<void> {
  const bundle = await readAll(await chosenFiles(), trans);
  if (bundle === null) {
    return;
  }
  const dry = await spaces.imported(space, bundle, { dryRun: true, overwrite: false });
  const overwrite = await agreed(dry, trans);
  if (overwrite === null) {
    return;
  }
  const { counts } = await spaces.imported(space, bundle, { dryRun: false, overwrite });
  const written = counts.created + counts.updated;
  const failed = counts.failed + counts.invalid;
  const told = [trans._n('%1 instance was imported.', '%1 instances were imported.', written)];
  if (counts.conflict > 0) {
    told.push(
      trans._n('%1 that is there was left as it is.', '%1 that are there were left as they are.', counts.conflict)
    );
  }
  if (failed > 0) {
    told.push(trans._n('%1 could not be taken in.', '%1 could not be taken in.', failed));
  }
  Notification.emit(told.join(' '), failed > 0 ? 'warning' : 'success', { autoClose: 8000 });
}

/** Offers import and export of a schemaspace as commands; the answer is their ids. */
export function offerFileCommands(
  { commands }: JupyterFrontEnd,
  spaces: ISchemaspaces,
  model: SchemaspacesModel,
  trans: TranslationBundle
): string[] {
  const describedBy = { args: { type: 'object', properties: { space: INSTANCE_ARGUMENTS.properties.space } } };
  commands.addCommand(CommandIDs.importInstances, {
    label: trans.__('Import Instances…'),
    caption: trans.__('Take instances out of JSON files; what would happen is shown first'),
    icon: fileUploadIcon,
    describedBy,
    execute: async args => {
      try {
        const space = await spaceOf(args, spaces, trans);
        if (space !== null) {
          await importInto(space, spaces, trans);
          await model.refreshSection(space);
        }
      } catch (reason) {
        tellProblem(reason, trans.__('Nothing was imported.'));
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
        const space = await spaceOf(args, spaces, trans);
        if (space !== null) {
          download(`${space}.json`, await spaces.exported(space, { includeInvalid: true }));
        }
      } catch (reason) {
        tellProblem(reason, trans.__('Nothing was exported.'));
      }
    }
  });
  return [CommandIDs.importInstances, CommandIDs.exportInstances];
}
