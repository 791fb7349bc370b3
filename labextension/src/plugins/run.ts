import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../commands';
import { metadataIcon } from '../icons';
import { shortenUrn } from '../model/urns';
import { IMetadataService } from '../tokens';
import { registerTabs } from './application/tabs';

export const run: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:run',
  description: 'Pages of runs in the main area: accessed entities with their metadata at that time.',
  autoStart: true,
  requires: [IMetadataService],
  optional: [ITranslator, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    metadata: IMetadataService,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const kind = {
      namespace: 'colophon-run',
      type: 'Metadata',
      command: CommandIDs.openRun,
      label: trans.__('Open Run'),
      caption: trans.__('Everything recorded for a run'),
      icon: metadataIcon,
      getTitle: (urn: string) => ({ label: trans.__('Run'), caption: shortenUrn(urn) }),
      loadPanel: async (urn: string) => {
        const { RunModel, RunPanel } = await import('../panels/run');
        return new RunPanel(
          new RunModel(metadata, metadata.feed, urn),
          { open: metadata.openEntity, openCell: metadata.openCell },
          trans
        );
      }
    };
    registerTabs(app, restorer, kind, trans);
  }
};
