import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { IThemeManager } from '@jupyterlab/apputils';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../commands';
import { lineageIcon } from '../icons';
import { shortenUrn } from '../model/urns';
import { getLastPart } from '../components/labels';
import { IMetadataService } from '../tokens';
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
  requires: [IMetadataService],
  optional: [ITranslator, ILayoutRestorer, IThemeManager, ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    metadata: IMetadataService,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    themes: IThemeManager | null,
    registry: ISettingRegistry | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const levels = readLevels(registry);
    const kind = {
      namespace: 'colophon-lineage',
      type: 'Lineage',
      command: CommandIDs.openLineage,
      label: trans.__('Open Lineage Graph'),
      caption: trans.__('Upstream and downstream lineage'),
      icon: lineageIcon,
      getTitle: (urn: string) => {
        const name = shortenUrn(urn);
        return { label: getLastPart(name), caption: trans.__('Lineage of %1', name) };
      },
      loadPanel: async (urn: string) => {
        const { Layouter, LineageModel, LineagePanel } = await import('../panels/lineage');
        const model = new LineageModel(metadata, metadata.feed, new Layouter(), urn, levels());
        return new LineagePanel(model, metadata, themes?.themeChanged ?? null, trans);
      }
    };
    registerTabs(app, restorer, kind, trans);
  }
};
