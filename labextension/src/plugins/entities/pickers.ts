import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../../commands';
import { lineageIcon, metadataIcon } from '../../icons';
import { hasLineage } from '../../model/urns';
import { IMetadataService } from '../../tokens';
import { LINEAGE_OPTIONS } from '../arguments';
import { showError } from '../command-targets';

export const pickers: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:pickers',
  description: 'Commands that ask for an entity, and open its page or lineage.',
  autoStart: true,
  requires: [IMetadataService],
  optional: [ITranslator, ICommandPalette],
  activate: (
    { commands }: JupyterFrontEnd,
    metadata: IMetadataService,
    translator: ITranslator | null,
    palette: ICommandPalette | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const pick = async (title: string, isAllowed: (urn: string) => boolean): Promise<string | null> => {
      try {
        const { pickEntity } = await import('../../panels/picker');
        return await pickEntity(metadata, title, { isAllowed }, trans);
      } catch (reason) {
        showError(reason, trans.__('The list of entities could not be opened.'));
        return null;
      }
    };
    const describedBy = { args: { type: 'object', properties: {}, additionalProperties: false } };
    commands.addCommand(CommandIDs.pickLineage, {
      label: trans.__('Open Lineage of…'),
      caption: trans.__('Find data or a program by its name, and open its lineage graph'),
      icon: lineageIcon,
      describedBy: { args: { type: 'object', properties: LINEAGE_OPTIONS, additionalProperties: false } },
      execute: async args => {
        const urn = await pick(trans.__('Open lineage of…'), hasLineage);
        if (urn !== null) {
          await commands.execute(CommandIDs.openLineage, { ...args, urn });
        }
      }
    });
    commands.addCommand(CommandIDs.pickEntity, {
      label: trans.__('Describe Entity…'),
      caption: trans.__('Find an entity by its name, and open its page'),
      icon: metadataIcon,
      describedBy,
      execute: async () => {
        const urn = await pick(trans.__('Describe entity…'), () => true);
        if (urn !== null) {
          metadata.openEntity(urn);
        }
      }
    });
    const category = trans.__('Metadata');
    [CommandIDs.pickLineage, CommandIDs.pickEntity].forEach(command => palette?.addItem({ command, category }));
  }
};
