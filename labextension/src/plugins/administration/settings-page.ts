import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';
import { DOMAIN } from '../../commands';
import { metadataIcon } from '../../icons';
import { IFormTools, IMetadataService } from '../../tokens';
import { SinglePage } from '../application/tabs';

/** The module of a page. */
interface IPageModule {
  createPanel(metadata: IMetadataService, trans: TranslationBundle, tools: IFormTools | null): Widget;
}

/**
 * Creates the plugin of a page in the menu Settings, of which at most one is open.
 *
 * @param id - Names the plugin, its schema, which adds the menu item, and the command `colophon:show-<id>`.
 * @param getTexts - Returns the label and the caption of the command.
 * @param load - Imports the module of the page.
 */
export function createSettingsPage(
  id: string,
  getTexts: (trans: TranslationBundle) => readonly [string, string],
  load: () => Promise<IPageModule>
): JupyterFrontEndPlugin<void> {
  return {
    id: `jupyter-colophon:${id}`,
    description: `The page ${id}.`,
    autoStart: true,
    requires: [IMetadataService],
    optional: [ITranslator, ILayoutRestorer, ICommandPalette, IFormTools],
    activate: (
      { commands, shell }: JupyterFrontEnd,
      metadata: IMetadataService,
      translator: ITranslator | null,
      restorer: ILayoutRestorer | null,
      palette: ICommandPalette | null,
      tools: IFormTools | null
    ) => {
      const trans = (translator ?? nullTranslator).load(DOMAIN);
      const [label, caption] = getTexts(trans);
      const command = `colophon:show-${id}`;
      const tab = new SinglePage(shell, { name: id, label, icon: metadataIcon }, trans);
      commands.addCommand(command, {
        label,
        caption,
        icon: args => (args['isMenu'] === true ? undefined : metadataIcon),
        describedBy: {
          args: { type: 'object', properties: { isMenu: { type: 'boolean', description: 'Whether it is in a menu' } } }
        },
        execute: () => tab.show(async () => (await load()).createPanel(metadata, trans, tools))
      });
      tab.restore(restorer, command);
      palette?.addItem({ command, category: trans.__('Metadata') });
    }
  };
}
