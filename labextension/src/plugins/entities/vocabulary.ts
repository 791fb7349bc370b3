import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette, WidgetTracker } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../../commands';
import { metadataIcon } from '../../icons';
import type { VocabularyPanel, VocabularyTab } from '../../panels/vocabulary';
import { IMetadataService } from '../../tokens';
import { getText } from '../arguments';
import { PanelTab, activateTab, addTab } from '../application/tabs';

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
    const tracker = new WidgetTracker<PanelTab<VocabularyPanel>>({ namespace: 'colophon-vocabulary' });
    const search = (query: string): void => void commands.execute(CommandIDs.showSearch, { query });
    const openTab = (selected: VocabularyTab): PanelTab<VocabularyPanel> => {
      const loadPanel = async (): Promise<VocabularyPanel> => {
        const panels = await import('../../panels/vocabulary');
        const model = new panels.VocabularyModel(metadata, metadata.feed);
        model.selectTab(selected);
        const addTag = (tag: string): void => void commands.execute(CommandIDs.addTag, { tag });
        return new panels.VocabularyPanel(model, { search, openEntity: metadata.openEntity, addTag }, trans);
      };
      const label = trans.__('Vocabulary');
      const tab = new PanelTab({ label, caption: label, icon: metadataIcon }, loadPanel, trans);
      tab.id = 'jp-colophon-vocabulary-page';
      addTab(shell, tab, 'Metadata');
      void tracker.add(tab);
      return tab;
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
        const open = tracker.find(() => true);
        open?.panel?.model.selectTab(selected);
        const tab = open ?? openTab(selected);
        activateTab(shell, tab);
        return tab;
      }
    });
    void restorer?.restore(tracker, { command, name: () => 'vocabulary' });
    TABS.forEach(tab => palette?.addItem({ command, args: { tab }, category: trans.__('Metadata') }));
  }
};
