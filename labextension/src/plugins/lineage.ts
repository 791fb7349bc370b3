import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { IThemeManager, MainAreaWidget } from '@jupyterlab/apputils';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../commands';
import { lineageIcon } from '../icons';
import { Layouter } from '../lineage/layouter';
import { LineagePanel } from '../panels/lineage';
import { LineageModel } from '../panels/lineage/model';
import { shortUrn } from '../model/urns';
import { lastPart } from '../components/words';
import { ICatalog, IChangeFeed } from '../tokens';
import { openersOf } from './openers';
import { offerTabs } from './tabs';

const LEVELS_AT_FIRST = 1;

/** How many levels a graph opens with: the setting, as it is at that time. */
function levelsFrom(registry: ISettingRegistry | null): () => number {
  let levels = LEVELS_AT_FIRST;
  void registry?.load('jupyter-colophon:lineage').then(settings => {
    const read = (): void => {
      const wanted = settings.get('levels').composite;
      levels = typeof wanted === 'number' ? wanted : LEVELS_AT_FIRST;
    };
    settings.changed.connect(read);
    read();
  });
  return () => levels;
}

export const lineage: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:lineage',
  description: 'Lineage graphs in the main area.',
  autoStart: true,
  requires: [ICatalog],
  optional: [IChangeFeed, ITranslator, ILayoutRestorer, IThemeManager, ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    catalog: ICatalog,
    feed: IChangeFeed | null,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    themes: IThemeManager | null,
    registry: ISettingRegistry | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const levels = levelsFrom(registry);
    const openers = openersOf(app.commands);
    offerTabs(app, restorer, {
      namespace: 'colophon-lineage',
      type: 'Lineage',
      command: CommandIDs.openLineage,
      label: trans.__('Open Lineage Graph'),
      caption: trans.__('Where this comes from and where it goes'),
      icon: lineageIcon,
      made: urn => {
        const model = new LineageModel(catalog, feed, new Layouter(), urn, levels());
        const content = new LineagePanel(model, openers, themes?.themeChanged ?? null, trans);
        const tab = new MainAreaWidget({ content });
        tab.title.label = trans.__('Lineage: %1', lastPart(shortUrn(urn)));
        tab.title.caption = urn;
        tab.title.icon = lineageIcon;
        return tab;
      }
    });
  }
};
