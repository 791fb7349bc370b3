import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette, InputDialog } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../commands';
import { metadataIcon } from '../icons';
import { SearchPanel } from '../panels/search';
import { SearchModel } from '../panels/search/model';
import { SavedSearchStore } from '../model/saved-searches';
import { ICatalog, IChangeFeed, ISchemaspaces } from '../tokens';
import { createOpeners } from './openers';

export const sidebar: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:sidebar',
  description: 'The panel Metadata in the left sidebar: search for keys and entities.',
  autoStart: true,
  requires: [ICatalog],
  optional: [IChangeFeed, ITranslator, ILayoutRestorer, ICommandPalette, ISchemaspaces],
  activate: (
    app: JupyterFrontEnd,
    catalog: ICatalog,
    feed: IChangeFeed | null,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    spaces: ISchemaspaces | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const { commands, shell } = app;
    const model = new SearchModel(catalog, feed, spaces && new SavedSearchStore(spaces));
    const askName = async (): Promise<string | null> =>
      (await InputDialog.getText({ title: trans.__('Save search'), label: trans.__('Name') })).value;
    const panel = new SearchPanel(model, { ...createOpeners(commands), askName }, trans);
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
