import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { MainAreaWidget } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../commands';
import { metadataIcon } from '../icons';
import { formatOrigin } from '../components/runs';
import { shortenUrn } from '../model/urns';
import { RunPanel } from '../panels/run';
import { RunModel } from '../panels/run/model';
import { ICatalog, IChangeFeed } from '../tokens';
import { createOpeners } from './openers';
import { registerTabs } from './tabs';

export const run: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:run',
  description: 'Pages of runs in the main area: accessed entities with their metadata at that time.',
  autoStart: true,
  requires: [ICatalog],
  optional: [IChangeFeed, ITranslator, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    catalog: ICatalog,
    feed: IChangeFeed | null,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const { openEntity } = createOpeners(app.commands);
    registerTabs(app, restorer, {
      namespace: 'colophon-run',
      type: 'Metadata',
      command: CommandIDs.openRun,
      label: trans.__('Open Run'),
      caption: trans.__('Everything recorded for a run'),
      icon: metadataIcon,
      createTab: urn => {
        const model = new RunModel(catalog, feed, urn);
        const tab = new MainAreaWidget({ content: new RunPanel(model, openEntity, trans) });
        tab.title.label = trans.__('Run: %1', shortenUrn(urn));
        // The origin of a run is more informative than its id.
        model.changed.connect(({ state }) => {
          tab.title.label = state.run ? trans.__('Run: %1', formatOrigin(state.run, trans)) : tab.title.label;
        });
        tab.title.caption = urn;
        tab.title.icon = metadataIcon;
        return tab;
      }
    });
  }
};
