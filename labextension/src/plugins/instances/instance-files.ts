import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';
import { downloadIcon, fileUploadIcon } from '@jupyterlab/ui-components';
import { CommandIDs } from '../../commands';
import type { SchemaspacesModel } from '../../panels/schemaspace/model';
import type { ISchemaspaces } from '../../tokens';
import { INSTANCE_ARGUMENTS } from '../arguments';
import { resolveSpace, showError } from '../command-targets';

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
          const { importInstances } = await import('./instance-transfer');
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
          const { exportInstances } = await import('./instance-transfer');
          await exportInstances(space, spaces);
        }
      } catch (reason) {
        showError(reason, trans.__('Export failed.'));
      }
    }
  });
  return [CommandIDs.importInstances, CommandIDs.exportInstances];
}
