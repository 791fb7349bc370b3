import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ILauncher } from '@jupyterlab/launcher';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../../commands';
import { IMetadataService } from '../../tokens';

export const launcher: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:launcher',
  description: 'The cards of the launcher that open the metadata, and panels of applications.',
  autoStart: true,
  requires: [IMetadataService],
  optional: [ILauncher, ITranslator, ICommandPalette],
  activate: (
    _: JupyterFrontEnd,
    metadata: IMetadataService,
    cards: ILauncher | null,
    translator: ITranslator | null,
    palette: ICommandPalette | null
  ) => {
    const category = (translator ?? nullTranslator).load(DOMAIN).__('Metadata');
    [CommandIDs.showSearch, CommandIDs.pickLineage].forEach((command, rank) => {
      cards?.add({ command, category, rank });
    });
    const addPanels = async (): Promise<void> => {
      const { panels } = await metadata.call('listAppPanels', {});
      panels.forEach(({ app, id, title: label, icon }) => {
        const item = { command: CommandIDs.showApplications, category, args: { item: `${app}/${id}`, label, icon } };
        cards?.add(item);
        palette?.addItem(item);
      });
    };
    // Without the server, the page Applications explains what is missing.
    void (cards && addPanels().catch(() => undefined));
  }
};
