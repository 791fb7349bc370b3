import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../../commands';
import type { FileView } from '../../files/open-file';
import { getSelectedPath } from '../../files/selected-file';
import { lineageIcon, metadataIcon } from '../../icons';
import { IMetadataService } from '../../tokens';
import { getText } from '../arguments';
import { showError } from '../command-targets';

const FILE_ARGUMENTS = {
  type: 'object',
  properties: {
    path: {
      type: 'string',
      description: 'The path of the file or notebook; by default, of the one that is selected in the file browser'
    }
  }
};

export const files: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:files',
  description: 'Opens the metadata and lineage of files and notebooks from the file browser.',
  autoStart: true,
  requires: [IMetadataService],
  optional: [ITranslator],
  activate: (app: JupyterFrontEnd, metadata: IMetadataService, translator: ITranslator | null) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const { commands } = app;
    const openSearch = (): void => void commands.execute(CommandIDs.showSearch);
    type Arguments = Parameters<typeof getText>[0];
    const getPath = (args: Arguments): string | null => getText(args, 'path') || getSelectedPath(app);
    const isEnabled = (args: Arguments): boolean => getPath(args) !== null;
    const createExecute =
      (view: FileView) =>
      async (args: Arguments): Promise<void> => {
        const path = getPath(args);
        if (path !== null) {
          try {
            const { openFile } = await import('../../files/open-file');
            await openFile(path, view, { metadata, openSearch, trans });
          } catch (reason) {
            showError(reason, trans.__('The metadata of “%1” could not be opened.', path));
          }
        }
      };
    commands.addCommand(CommandIDs.openFileMetadata, {
      label: trans.__('Metadata'),
      caption: trans.__('Open the metadata page of the selected file or notebook'),
      icon: metadataIcon,
      describedBy: { args: FILE_ARGUMENTS },
      isEnabled,
      execute: createExecute('page')
    });
    commands.addCommand(CommandIDs.openFileLineage, {
      label: trans.__('Lineage'),
      caption: trans.__('Open the lineage graph of the selected file or notebook'),
      icon: lineageIcon,
      describedBy: { args: FILE_ARGUMENTS },
      isEnabled,
      execute: createExecute('lineage')
    });
  }
};
