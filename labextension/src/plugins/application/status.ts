import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IStatusBar } from '@jupyterlab/statusbar';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { CommandIDs, DOMAIN } from '../../commands';
import { CurrentNotebook } from '../../notebook/current-notebook';
import type { IRecording } from '../../notebook/recording';
import { KernelRecording } from '../../notebook/recording';
import type { FeedStatus, IChangeFeed } from '../../tokens';
import type * as StatusDialogs from '../../panels/status';
import { IMetadataService } from '../../tokens';

/** JupyterLab's command that opens the settings. */
const OPEN_SETTINGS = 'settingeditor:open';

/** Returns the label of what the kernel of the notebook does; null without a notebook. */
function getRecordingLabel({ state }: IRecording, trans: TranslationBundle): string | null {
  switch (state) {
    case 'on':
      return trans.__('Metadata: recording');
    case 'off':
      return trans.__('Metadata: recording is off');
    case 'away':
      return trans.__('Metadata: waiting for the server');
    case 'unknown':
    case 'disconnected':
      return trans.__('Metadata: not recording');
    case 'none':
      return null;
  }
}

/** Returns the label of the item: that the kernel of the notebook records, unless the panels have a problem. */
function getLabel(status: FeedStatus, recording: IRecording, trans: TranslationBundle): string {
  switch (status) {
    case 'idle':
      return getRecordingLabel(recording, trans) ?? trans.__('Metadata: connecting');
    case 'live':
      return getRecordingLabel(recording, trans) ?? trans.__('Metadata: live');
    case 'paused':
      return trans.__('Metadata: paused');
    case 'away':
      return trans.__('Metadata: server unavailable');
  }
}

function getTitle(status: FeedStatus, { state }: IRecording, trans: TranslationBundle): string {
  if (status === 'live' || status === 'idle') {
    if (state === 'on') {
      return trans.__('The kernel records what the cells of the notebook read and write. Click for more.');
    }
    if (state !== 'none') {
      return trans.__('The kernel does not record what the cells of the notebook read and write. Click to see why.');
    }
  }
  return status === 'live' || status === 'idle'
    ? trans.__('Open panels follow the changes of the catalog. Click to search the metadata.')
    : trans.__('Open panels do not follow the changes of the catalog. Click to see why.');
}

/** Creates a button that shows the status of the feed, and keeps the feed open. */
function createItem(
  feed: IChangeFeed,
  recording: KernelRecording,
  onClick: () => void,
  trans: TranslationBundle
): Widget {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'jp-Colophon-feedStatus';
  button.onclick = onClick;
  const update = (): void => {
    button.textContent = getLabel(feed.status, recording.state, trans);
    button.title = getTitle(feed.status, recording.state, trans);
    button.dataset['status'] = feed.status;
    button.dataset['recording'] = recording.state.state;
  };
  update();
  feed.statusChanged.connect(update);
  recording.changed.connect(update);
  const subscription = feed.keepOpen();
  const item = new Widget();
  item.node.append(button);
  item.disposed.connect(() => {
    feed.statusChanged.disconnect(update);
    recording.changed.disconnect(update);
    subscription.dispose();
  });
  return item;
}

/** Loads the dialogs that explain the status. */
function loadExplanations(): Promise<typeof StatusDialogs> {
  return import('../../panels/status');
}

export const status: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:status',
  description:
    'An item of the status bar that shows whether the kernel of the notebook records, and panels follow changes.',
  autoStart: true,
  requires: [IMetadataService],
  optional: [ITranslator, IStatusBar, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    metadata: IMetadataService,
    translator: ITranslator | null,
    statusBar: IStatusBar | null,
    palette: ICommandPalette | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const { commands } = app;
    const notebook = new CurrentNotebook(app);
    const recording = new KernelRecording(notebook, () => notebook.widget);
    /** Opens the settings; null on the pages of Notebook 7 that do not show them. */
    const getOpenSettings = (): (() => void) | null =>
      commands.hasCommand(OPEN_SETTINGS)
        ? () => void commands.execute(OPEN_SETTINGS, { query: trans.__('Metadata') })
        : null;
    commands.addCommand(CommandIDs.showStatus, {
      label: trans.__('Show Metadata Status'),
      caption: trans.__('See whether the kernel of the notebook records, and whether panels follow changes'),
      describedBy: { args: { type: 'object', properties: {}, additionalProperties: false } },
      execute: async () => {
        const current = metadata.feed.status;
        const isFollowing = current === 'live' || current === 'idle';
        if (isFollowing && recording.state.state === 'none') {
          await commands.execute(CommandIDs.showSearch);
          return;
        }
        const { explainAway, explainPaused, explainRecording } = await loadExplanations();
        if (isFollowing) {
          await explainRecording(recording, () => void commands.execute(CommandIDs.showSearch), trans);
          return;
        }
        await (current === 'paused' ? explainPaused(getOpenSettings(), trans) : explainAway(metadata, trans));
      }
    });
    palette?.addItem({ command: CommandIDs.showStatus, category: trans.__('Metadata') });
    // While the server can be reached: they explain why it cannot.
    void app.restored.then(loadExplanations).catch(() => undefined);
    if (statusBar) {
      // After the start, which the connection must not delay.
      void app.restored.then(() => {
        const item = createItem(metadata.feed, recording, () => void commands.execute(CommandIDs.showStatus), trans);
        statusBar.registerStatusItem(status.id, { item, align: 'right', rank: 80 });
      });
    }
  }
};
