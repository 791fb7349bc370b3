import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../commands';
import { metadataIcon } from '../icons';
import { SearchPanel } from '../panels/search';
import { SearchModel } from '../panels/search/model';
import { ICatalog, IChangeFeed } from '../tokens';
import { openersOf } from './openers';

export const sidebar: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:sidebar',
  description: 'The tab Metadata of the left sidebar: keys and entities.',
  autoStart: true,
  requires: [ICatalog],
  optional: [IChangeFeed, ITranslator, ILayoutRestorer, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    catalog: ICatalog,
    feed: IChangeFeed | null,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const { commands, shell } = app;
    const panel = new SearchPanel(new SearchModel(catalog, feed), openersOf(commands), trans);
    shell.add(panel, 'left', { rank: 850, type: 'Metadata' });
    restorer?.add(panel, panel.id);
    commands.addCommand(CommandIDs.showSearch, {
      label: trans.__('Search Metadata'),
      caption: trans.__('Find data by its keys, tags, values and names'),
      icon: metadataIcon,
      describedBy: { args: { type: 'object', properties: {}, additionalProperties: false } },
      execute: () => shell.activateById(panel.id)
    });
    palette?.addItem({ command: CommandIDs.showSearch, category: trans.__('Metadata') });
  }
};
