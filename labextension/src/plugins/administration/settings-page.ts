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

/** A page in the menu Settings, of which at most one is open. Its id names the schema that adds the menu item. */
interface ISettingsPage<P extends Widget> {
  id: string;
  description: string;
  command: string;
  getLabel(trans: TranslationBundle): string;
  getCaption(trans: TranslationBundle): string;
  loadPanel(metadata: IMetadataService, trans: TranslationBundle, tools: IFormTools | null): Promise<P>;
}

/** Creates the plugin that registers the command of a page. */
export function createSettingsPage<P extends Widget>(page: ISettingsPage<P>): JupyterFrontEndPlugin<void> {
  const { id, description, command } = page;
  return {
    id: `jupyter-colophon:${id}`,
    description,
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
      const label = page.getLabel(trans);
      const tab = new SinglePage<P>(shell, { name: id, label, icon: metadataIcon }, trans);
      commands.addCommand(command, {
        label,
        caption: page.getCaption(trans),
        icon: args => (args['isMenu'] === true ? undefined : metadataIcon),
        describedBy: {
          args: { type: 'object', properties: { isMenu: { type: 'boolean', description: 'Whether it is in a menu' } } }
        },
        execute: () => tab.show(() => page.loadPanel(metadata, trans, tools))
      });
      tab.restore(restorer, command);
      palette?.addItem({ command, category: trans.__('Metadata') });
    }
  };
}
