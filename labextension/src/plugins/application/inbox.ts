import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';
import { LazyPanel } from '../../components/lazy-panel';
import { CommandIDs, DOMAIN } from '../../commands';
import { inboxIcon } from '../../icons';
import { IFollowedEntities, IMetadataService } from '../../tokens';
import { getBrowserStorage } from '../browser-storage';

/** The notifications are loaded after the start of JupyterLab, and do not delay it. */
const NOTIFICATION_DELAY_MS = 10_000;

export const inbox: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:inbox',
  description: 'The panel with requests to owners, their number, and notifications to owners.',
  autoStart: true,
  requires: [IMetadataService],
  optional: [ITranslator, ILayoutRestorer, ICommandPalette, ISettingRegistry, IFollowedEntities],
  activate: (
    app: JupyterFrontEnd,
    metadata: IMetadataService,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    registry: ISettingRegistry | null,
    followed: IFollowedEntities | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const loadPanel = async (): Promise<Widget> => {
      const { InboxPanel, RequestListModel } = await import('../../panels/inbox');
      const model = new RequestListModel(metadata, metadata.feed, { list: 'assigned', state: 'open' });
      return new InboxPanel(model, metadata.openEntity, trans);
    };
    const panel = new LazyPanel(loadPanel, trans);
    panel.id = 'jp-colophon-inbox-panel';
    panel.title.icon = inboxIcon;
    panel.title.caption = trans.__('Requests');
    app.shell.add(panel, 'right', { rank: 860, type: 'Metadata' });
    restorer?.add(panel, panel.id);
    app.commands.addCommand(CommandIDs.showInbox, {
      label: trans.__('Show Requests'),
      caption: trans.__('Show requests to you and your teams, and those that you made'),
      icon: inboxIcon,
      describedBy: { args: { type: 'object', properties: {}, additionalProperties: false } },
      execute: () => app.shell.activateById(panel.id)
    });
    palette?.addItem({ command: CommandIDs.showInbox, category: trans.__('Metadata') });
    void app.restored.then(() => window.setTimeout(() => void startNotifications(), NOTIFICATION_DELAY_MS));
    const startNotifications = async (): Promise<void> => {
      const { notifyOwners } = await import('./owner-notifications');
      const settings = (await registry?.load('jupyter-colophon:inbox').catch(() => null)) ?? null;
      const services = { metadata, followed, settings, storage: getBrowserStorage() };
      const notifications = notifyOwners(app.commands, services, panel.title, trans);
      window.addEventListener('pagehide', () => notifications.dispose(), { once: true });
    };
  }
};
