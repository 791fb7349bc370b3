import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { createConnect } from '../api/socket';
import { ChangeFeed } from '../model/feed';
import { IChangeFeed } from '../tokens';

function delay(milliseconds: number, callback: () => void): () => void {
  const timer = window.setTimeout(callback, milliseconds);
  return () => window.clearTimeout(timer);
}

export const changes: JupyterFrontEndPlugin<IChangeFeed> = {
  id: 'jupyter-colophon:changes',
  description: 'The change feed of the catalog, over one connection for all panels.',
  autoStart: true,
  provides: IChangeFeed,
  optional: [ISettingRegistry],
  activate: (app: JupyterFrontEnd, registry: ISettingRegistry | null) => {
    const feed = new ChangeFeed(createConnect(app.serviceManager.serverSettings), delay);
    void registry?.load(changes.id).then(settings => {
      const applySettings = (): void => {
        feed.enabled = settings.get('live').composite !== false;
      };
      settings.changed.connect(applySettings);
      applySettings();
    });
    return feed;
  }
};
