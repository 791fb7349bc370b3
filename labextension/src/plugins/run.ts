import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { MainAreaWidget } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../commands';
import { metadataIcon } from '../icons';
import { originOf } from '../components/runs';
import { shortUrn } from '../model/urns';
import { RunPanel } from '../panels/run';
import { RunModel } from '../panels/run/model';
import { ICatalog, IChangeFeed } from '../tokens';
import { openersOf } from './openers';
import { offerTabs } from './tabs';

export const run: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:run',
  description: 'Pages of runs in the main area: what they touched, and what was said of it then.',
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
    const { openEntity } = openersOf(app.commands);
    offerTabs(app, restorer, {
      namespace: 'colophon-run',
      type: 'Metadata',
      command: CommandIDs.openRun,
      label: trans.__('Open Run'),
      caption: trans.__('Everything that was recorded for a run'),
      icon: metadataIcon,
      made: urn => {
        const model = new RunModel(catalog, feed, urn);
        const tab = new MainAreaWidget({ content: new RunPanel(model, openEntity, trans) });
        tab.title.label = trans.__('Run: %1', shortUrn(urn));
        // What ran says more than its number, once that is known.
        model.changed.connect(({ state }) => {
          tab.title.label = state.run ? trans.__('Run: %1', originOf(state.run, trans)) : tab.title.label;
        });
        tab.title.caption = urn;
        tab.title.icon = metadataIcon;
        return tab;
      }
    });
  }
};
