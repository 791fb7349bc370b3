import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { LabIcon } from '@jupyterlab/ui-components';
import type { Widget } from '@lumino/widgets';
import { DOMAIN } from '../../commands';
import { metadataIcon } from '../../icons';
import { IFormTools, IMetadataService } from '../../tokens';
import type { IPageItem } from '../application/tabs';
import { SinglePage } from '../application/tabs';

/** What only some pages use. */
export interface IPageContext {
  app: JupyterFrontEnd;
  /** The command that opens the page; its argument `item` opens a tab of its own. */
  command: string;
  /** The item of the tab; empty for the page itself. */
  item: string;
  translator: ITranslator;
}

/** The module of a page. */
interface IPageModule {
  createPanel(
    metadata: IMetadataService,
    trans: TranslationBundle,
    tools: IFormTools | null,
    context: IPageContext
  ): Widget | Promise<Widget>;
}

/**
 * Creates the plugin of a page in the menu Settings.
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
      app: JupyterFrontEnd,
      metadata: IMetadataService,
      translatorOrNull: ITranslator | null,
      restorer: ILayoutRestorer | null,
      palette: ICommandPalette | null,
      tools: IFormTools | null
    ) => {
      const { commands, shell } = app;
      const translator = translatorOrNull ?? nullTranslator;
      const trans = translator.load(DOMAIN);
      const [label, caption] = getTexts(trans);
      const command = `colophon:show-${id}`;
      const tab = new SinglePage(shell, { name: id, label, icon: metadataIcon }, trans);
      commands.addCommand(command, {
        label: ({ label: title = label }) => title as string,
        caption,
        icon: ({ isMenu, icon }) =>
          isMenu === true ? undefined : icon ? LabIcon.resolve({ icon: icon as string }) : metadataIcon,
        describedBy: {
          args: { type: 'object', properties: { isMenu: { type: 'boolean', description: 'Whether it is in a menu' } } }
        },
        execute: ({ item = '', label }) =>
          tab.show(
            async () =>
              (await load()).createPanel(metadata, trans, tools, { app, command, item: item as string, translator }),
            { item, label } as IPageItem
          )
      });
      tab.restore(restorer, command);
      palette?.addItem({ command, category: trans.__('Metadata') });
    }
  };
}
