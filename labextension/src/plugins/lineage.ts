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
import { shortenUrn } from '../model/urns';
import { getLastPart } from '../components/labels';
import { ICatalog, IChangeFeed } from '../tokens';
import { createOpeners } from './openers';
import { registerTabs } from './tabs';

const DEFAULT_LEVELS = 1;

/** Returns a function that reads the current setting of the initial number of levels. */
function readLevels(registry: ISettingRegistry | null): () => number {
  let levels = DEFAULT_LEVELS;
  void registry?.load('jupyter-colophon:lineage').then(settings => {
    const applySettings = (): void => {
      const value = settings.get('levels').composite;
      levels = typeof value === 'number' ? value : DEFAULT_LEVELS;
    };
    settings.changed.connect(applySettings);
    applySettings();
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
    const levels = readLevels(registry);
    const openers = createOpeners(app.commands);
    registerTabs(app, restorer, {
      namespace: 'colophon-lineage',
      type: 'Lineage',
      command: CommandIDs.openLineage,
      label: trans.__('Open Lineage Graph'),
      caption: trans.__('Upstream and downstream lineage'),
      icon: lineageIcon,
      createTab: urn => {
        const model = new LineageModel(catalog, feed, new Layouter(), urn, levels());
        const content = new LineagePanel(model, openers, themes?.themeChanged ?? null, trans);
        const tab = new MainAreaWidget({ content });
        tab.title.label = trans.__('Lineage: %1', getLastPart(shortenUrn(urn)));
        tab.title.caption = urn;
        tab.title.icon = lineageIcon;
        return tab;
      }
    });
  }
};
