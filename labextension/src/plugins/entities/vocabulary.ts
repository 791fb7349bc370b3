import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../../commands';
import { metadataIcon } from '../../icons';
import type { VocabularyPanel, VocabularyTab } from '../../panels/vocabulary';
import { IMetadataService } from '../../tokens';
import { getText } from '../arguments';
import { SinglePage } from '../application/tabs';

const TABS: readonly VocabularyTab[] = ['keys', 'term', 'domain', 'owner'];

function getTab(name: string): VocabularyTab {
  return TABS.find(tab => tab === name) ?? 'keys';
}

export const vocabulary: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:vocabulary',
  description: 'The page of all keys, tags, glossary terms, domains and owners.',
  autoStart: true,
  requires: [IMetadataService],
  optional: [ITranslator, ILayoutRestorer, ICommandPalette],
  activate: (
    { commands, shell }: JupyterFrontEnd,
    metadata: IMetadataService,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const labels: Record<VocabularyTab, string> = {
      keys: trans.__('Show Keys and Tags'),
      term: trans.__('Show Glossary Terms'),
      domain: trans.__('Show Domains'),
      owner: trans.__('Show Owners')
    };
    const command = CommandIDs.showVocabulary;
    const about = { name: 'vocabulary', label: trans.__('Vocabulary'), icon: metadataIcon };
    const page = new SinglePage<VocabularyPanel>(shell, about, trans);
    const search = (query: string): void => void commands.execute(CommandIDs.showSearch, { query });
    const loadPanel = async (selected: VocabularyTab): Promise<VocabularyPanel> => {
      const panels = await import('../../panels/vocabulary');
      const model = new panels.VocabularyModel(metadata, metadata.feed);
      model.selectTab(selected);
      const addTag = (tag: string): void => void commands.execute(CommandIDs.addTag, { tag });
      return new panels.VocabularyPanel(model, { search, openEntity: metadata.openEntity, addTag }, trans);
    };
    commands.addCommand(command, {
      label: args => labels[getTab(getText(args, 'tab'))],
      caption: trans.__('List all keys, tags, glossary terms, domains and owners with their numbers of entities'),
      icon: metadataIcon,
      describedBy: {
        args: { type: 'object', properties: { tab: { enum: TABS, description: 'The list; by default, keys' } } }
      },
      execute: args => {
        const selected = getTab(getText(args, 'tab'));
        page.tab?.panel?.model.selectTab(selected);
        return page.show(() => loadPanel(selected));
      }
    });
    page.restore(restorer, command);
    TABS.forEach(tab => palette?.addItem({ command, args: { tab }, category: trans.__('Metadata') }));
  }
};
