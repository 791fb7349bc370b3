import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILabStatus, ILayoutRestorer } from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../commands';
import { metadataIcon } from '../icons';
import { EntityPanel, EntityTab } from '../panels/entity';
import { EntityModel } from '../panels/entity/model';
import { ICatalog, IChangeFeed } from '../tokens';
import { guard } from './guard';
import { openersOf } from './openers';
import { offerTabs } from './tabs';

export const entity: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:entity',
  description: 'Pages of entities in the main area, with forms for what people may write.',
  autoStart: true,
  requires: [ICatalog],
  optional: [IChangeFeed, ITranslator, ILayoutRestorer, ILabStatus],
  activate: (
    app: JupyterFrontEnd,
    catalog: ICatalog,
    feed: IChangeFeed | null,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    status: ILabStatus | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const openers = openersOf(app.commands);
    offerTabs(app, restorer, {
      namespace: 'colophon-entity',
      type: 'Metadata',
      command: CommandIDs.openEntity,
      label: trans.__('Open Metadata Page'),
      caption: trans.__('What people and machines wrote about this, its schema, runs and history'),
      icon: metadataIcon,
      made: urn => {
        const tab = new EntityTab(new EntityPanel(new EntityModel(catalog, feed, urn), openers, trans), trans);
        guard(tab, status);
        return tab;
      }
    });
  }
};
