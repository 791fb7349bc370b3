import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette, InputDialog } from '@jupyterlab/apputils';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../../commands';
import { metadataIcon } from '../../icons';
import { LazyPanel } from '../../components/lazy-panel';
import type { SearchPanel } from '../../panels/search';
import type { ISearch } from '../../tokens';
import {
  IFollowedSearches,
  IMetadataService,
  ISchemaspaces,
  ISearchSectionRegistry,
  IStarredEntities
} from '../../tokens';
import { SEARCH_ARGUMENTS, getSearch } from '../arguments';

export const sidebar: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:sidebar',
  description: 'The panel Metadata in the left sidebar: search for keys and entities.',
  autoStart: true,
  requires: [IMetadataService],
  optional: [
    ITranslator,
    ILayoutRestorer,
    ICommandPalette,
    ISchemaspaces,
    IStarredEntities,
    ISearchSectionRegistry,
    IFollowedSearches,
    IRenderMimeRegistry
  ],
  activate: (
    app: JupyterFrontEnd,
    metadata: IMetadataService,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    spaces: ISchemaspaces | null,
    starred: IStarredEntities | null,
    registry: ISearchSectionRegistry | null,
    followed: IFollowedSearches | null,
    rendermime: IRenderMimeRegistry | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const { commands, shell } = app;
    const askName = async (): Promise<string | null> =>
      (await InputDialog.getText({ title: trans.__('Save search'), label: trans.__('Name') })).value;
    /** A search that the panel starts with when it is loaded. */
    let pending: ISearch | null = null;
    const loadPanel = async (): Promise<SearchPanel> => {
      const { PlainTextConverter, SavedSearchStore, SearchModel, SearchPanel } = await import('../../panels/search');
      const texts = new PlainTextConverter(rendermime?.markdownParser ?? null);
      const model = new SearchModel(metadata, metadata.feed, spaces && new SavedSearchStore(spaces), texts);
      const { openEntity, previewEntity, openCell } = metadata;
      const added = registry && { registry, metadata };
      if (pending !== null) {
        void model.search(pending.query, pending.filters);
      }
      const actions = {
        openEntity,
        previewEntity,
        openCell,
        askName,
        editEntities: (urns: readonly string[]) => void commands.execute(CommandIDs.editEntities, { urns }),
        addTag: (tag: string, urn: string) => void commands.execute(CommandIDs.addTag, { tag, urn }),
        showVocabulary: (tab: string) => void commands.execute(CommandIDs.showVocabulary, { tab })
      };
      return new SearchPanel(model, starred, actions, trans, added, followed);
    };
    const panel = new LazyPanel(loadPanel, trans);
    panel.id = 'jp-colophon-search';
    panel.title.icon = metadataIcon;
    panel.title.caption = trans.__('Metadata');
    shell.add(panel, 'left', { rank: 850, type: 'Metadata' });
    restorer?.add(panel, panel.id);
    commands.addCommand(CommandIDs.showSearch, {
      label: trans.__('Search Metadata'),
      caption: trans.__('Find data by its keys, tags, values and names'),
      icon: metadataIcon,
      describedBy: { args: SEARCH_ARGUMENTS },
      execute: args => {
        const search = getSearch(args);
        pending = search;
        if (search !== null) {
          void panel.panel?.model.search(search.query, search.filters);
        }
        shell.activateById(panel.id);
      }
    });
    palette?.addItem({ command: CommandIDs.showSearch, category: trans.__('Metadata') });
  }
};
