import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IStatusBar } from '@jupyterlab/statusbar';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { CommandIDs, DOMAIN } from '../commands';
import type { FeedStatus, IChangeFeed } from '../tokens';
import { IMetadataService } from '../tokens';

/** JupyterLab's command that opens the settings. */
const OPEN_SETTINGS = 'settingeditor:open';

function getLabel(status: FeedStatus, trans: TranslationBundle): string {
  switch (status) {
    case 'idle':
      return trans.__('Metadata: connecting');
    case 'live':
      return trans.__('Metadata: live');
    case 'paused':
      return trans.__('Metadata: paused');
    case 'away':
      return trans.__('Metadata: server unavailable');
  }
}

function getTitle(status: FeedStatus, trans: TranslationBundle): string {
  return status === 'live' || status === 'idle'
    ? trans.__('Open panels follow the changes of the catalog. Click to search the metadata.')
    : trans.__('Open panels do not follow the changes of the catalog. Click to see why.');
}

/** Creates a button that shows the status of the feed, and keeps the feed open. */
function createItem(feed: IChangeFeed, onClick: () => void, trans: TranslationBundle): Widget {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'jp-Colophon-feedStatus';
  button.onclick = onClick;
  const update = (): void => {
    button.textContent = getLabel(feed.status, trans);
    button.title = getTitle(feed.status, trans);
    button.dataset['status'] = feed.status;
  };
  update();
  feed.statusChanged.connect(update);
  const subscription = feed.keepOpen();
  const item = new Widget();
  item.node.append(button);
  item.disposed.connect(() => {
    feed.statusChanged.disconnect(update);
    subscription.dispose();
  });
  return item;
}

export const status: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:status',
  description: 'An item of the status bar that shows whether panels follow the changes of the catalog.',
  autoStart: true,
  requires: [IMetadataService],
  optional: [ITranslator, IStatusBar],
  activate: (
    app: JupyterFrontEnd,
    metadata: IMetadataService,
    translator: ITranslator | null,
    statusBar: IStatusBar | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const { commands } = app;
    const openSettings = (): void => void commands.execute(OPEN_SETTINGS, { query: trans.__('Metadata') });
    commands.addCommand(CommandIDs.showStatus, {
      label: trans.__('Show Metadata Status'),
      caption: trans.__('See why panels do not follow changes, or search the metadata if they do'),
      describedBy: { args: { type: 'object', properties: {}, additionalProperties: false } },
      execute: async () => {
        const current = metadata.feed.status;
        if (current === 'live' || current === 'idle') {
          await commands.execute(CommandIDs.showSearch);
          return;
        }
        const { explainAway, explainPaused } = await import('../panels/status');
        await (current === 'paused' ? explainPaused(openSettings, trans) : explainAway(metadata, trans));
      }
    });
    if (statusBar) {
      // After the start, which the connection must not delay.
      void app.restored.then(() => {
        const item = createItem(metadata.feed, () => void commands.execute(CommandIDs.showStatus), trans);
        statusBar.registerStatusItem(status.id, { item, align: 'right', rank: 80 });
      });
    }
  }
};
