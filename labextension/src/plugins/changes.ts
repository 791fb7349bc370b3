import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { socketTo } from '../api/socket';
import { ChangeFeed } from '../model/feed';
import { IChangeFeed } from '../tokens';

function later(milliseconds: number, then: () => void): () => void {
  const timer = window.setTimeout(then, milliseconds);
  return () => window.clearTimeout(timer);
}

export const changes: JupyterFrontEndPlugin<IChangeFeed> = {
  id: 'jupyter-colophon:changes',
  description: 'Live changes of the catalog, over one connection for all panels.',
  autoStart: true,
  provides: IChangeFeed,
  optional: [ISettingRegistry],
  activate: (app: JupyterFrontEnd, registry: ISettingRegistry | null) => {
    const feed = new ChangeFeed(socketTo(app.serviceManager.serverSettings), later);
    void registry?.load(changes.id).then(settings => {
      const read = (): void => {
        feed.enabled = settings.get('live').composite !== false;
      };
      settings.changed.connect(read);
      read();
    });
    return feed;
  }
};
