import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Catalog } from '../api/client';
import { Schemaspaces } from '../api/schemaspaces';
import { createConnect } from '../api/socket';
import { ChangeFeed } from '../model/live/feed';
import { IMetadataService, ISchemaspaces } from '../tokens';
import { createOpeners } from './openers';

function delay(milliseconds: number, callback: () => void): () => void {
  const timer = window.setTimeout(callback, milliseconds);
  return () => window.clearTimeout(timer);
}

export const metadata: JupyterFrontEndPlugin<IMetadataService> = {
  id: 'jupyter-colophon:metadata',
  description: 'The metadata of this server; one connection follows its changes for all panels.',
  autoStart: true,
  provides: IMetadataService,
  optional: [ISettingRegistry],
  activate: (app: JupyterFrontEnd, registry: ISettingRegistry | null) => {
    const { serverSettings } = app.serviceManager;
    const catalog = new Catalog(serverSettings);
    const feed = new ChangeFeed(createConnect(serverSettings), delay);
    void registry?.load(metadata.id).then(settings => {
      const applySettings = (): void => {
        feed.enabled = settings.get('live').composite !== false;
      };
      settings.changed.connect(applySettings);
      applySettings();
    });
    return {
      call: (id, parameters, options) => catalog.call(id, parameters, options),
      feed,
      ...createOpeners(app.commands)
    };
  }
};

export const schemaspacesApi: JupyterFrontEndPlugin<ISchemaspaces> = {
  id: 'jupyter-colophon:schemaspaces-api',
  description: 'The schemaspaces of this server and their instances.',
  autoStart: true,
  provides: ISchemaspaces,
  activate: (app: JupyterFrontEnd) => new Schemaspaces(app.serviceManager.serverSettings)
};
