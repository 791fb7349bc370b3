import { Notification } from '@jupyterlab/apputils';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import type { IDisposable } from '@lumino/disposable';
import { DisposableDelegate } from '@lumino/disposable';
import type { Title, Widget } from '@lumino/widgets';
import { CommandIDs } from '../../commands';
import { addDifferences } from '../../components/differences-sentence';
import { listNetDifferences } from '../../model/live/net-differences';
import type { ExpiryStage, IExpiry } from '../../model/stewardship/expiry-check';
import { ExpiryCheck } from '../../model/stewardship/expiry-check';
import type { IOwnerNotification } from '../../model/stewardship/owner-notifier';
import { OwnerNotifier } from '../../model/stewardship/owner-notifier';
import { RequestCounter } from '../../model/stewardship/request-counter';
import { shortenUrn } from '../../model/urns';
import type { IFollowedEntities, IMetadataService } from '../../tokens';

/** How long a notification is shown, in ms; it remains in the list of notifications. */
const SHOWN_MS = 8000;
/** More entities of a notification are only counted. */
const MAX_NAMES = 3;
const EXPIRY_INTERVAL_MS = 6 * 3_600_000;

/** What the notifications need; null if it is not available. */
interface INotificationServices {
  metadata: IMetadataService;
  followed: IFollowedEntities | null;
  settings: ISettingRegistry.ISettings | null;
  storage: Storage | null;
}

function formatOne({ reason, name, urn, actor, text, changes }: IOwnerNotification, trans: TranslationBundle): string {
  const add = (sentence: string): string => addDifferences(sentence, listNetDifferences(changes), trans);
  switch (reason) {
    case 'changed':
      return add(trans.__('%1 changed the metadata of %2, which you own.', actor, name));
    case 'schema-changed':
      return add(trans.__('The schema of %1, which you own, has changed.', name));
    case 'deleted':
      return trans.__('%1 deleted %2, which you own.', actor, name);
    case 'asked':
      return trans.__('%1 asks about %2: %3', actor, shortenUrn(urn), text);
    case 'answered':
      return trans.__('%1 responded to your request about %2.', actor, shortenUrn(urn));
    case 'declined':
      return trans.__('%1 declined your request about %2.', actor, shortenUrn(urn));
    case 'proposed':
      return trans.__('%1 proposes a change of %2: %3', actor, shortenUrn(urn), text);
    case 'applied':
      return trans.__('%1 applied the change of %2 that you proposed.', actor, shortenUrn(urn));
    case 'rejected':
      return trans.__('The change of %1 that you proposed was rejected.', shortenUrn(urn));
    case 'commented':
      return trans.__('%1 commented on the change of %2 that you proposed.', actor, shortenUrn(urn));
  }
}

function listNames(names: readonly string[], trans: TranslationBundle): string {
  const shown = names.slice(0, MAX_NAMES).join(', ');
  return names.length > MAX_NAMES ? trans.__('%1 and %2 more', shown, names.length - MAX_NAMES) : shown;
}

function formatExpiries(stage: ExpiryStage, expiries: readonly IExpiry[], trans: TranslationBundle): string {
  const names = listNames(
    expiries.map(({ name }) => name),
    trans
  );
  return stage === 'expiring'
    ? trans.__('The certification expires soon: %1', names)
    : trans.__('The certification has expired: %1', names);
}

/**
 * Shows the number of open requests in the title of their panel, and notifies owners of requests, of changes by others,
 * and of certifications that expire, until the result is disposed.
 */
export function notifyOwners(
  commands: CommandRegistry,
  services: INotificationServices,
  title: Title<Widget>,
  trans: TranslationBundle
): IDisposable {
  const { metadata, followed, settings, storage } = services;
  const isEnabled = (name: string): boolean => settings?.composite[name] !== false;
  const showInbox = (): void => void commands.execute(CommandIDs.showInbox);
  const notify = (message: string, open: () => void): void => {
    Notification.info(message, { autoClose: SHOWN_MS, actions: [{ label: trans.__('Open'), callback: open }] });
  };
  const notifier = new OwnerNotifier(metadata, metadata.feed, followed, notifications => {
    const requests = notifications.filter(({ text }) => text !== '');
    const changes = notifications.filter(({ text }) => text === '');
    if (requests.length > MAX_NAMES) {
      notify(trans.__('%1 requests to you or answers to you', requests.length), showInbox);
    } else {
      requests.forEach(request => notify(formatOne(request, trans), showInbox));
    }
    if (changes.length > MAX_NAMES) {
      const names = listNames(
        changes.map(({ name }) => name),
        trans
      );
      notify(
        trans.__('Others changed %1 entities that you own: %2', changes.length, names),
        () => void commands.execute(CommandIDs.showActivity)
      );
    } else {
      changes.forEach(change => notify(formatOne(change, trans), () => metadata.openEntity(change.urn)));
    }
  });
  const counter = new RequestCounter(metadata, metadata.feed, count => {
    title.label = count === 0 ? '' : String(count);
    title.caption = count === 0 ? trans.__('Requests') : trans._n('%1 open request', '%1 open requests', count);
  });
  const check = new ExpiryCheck(metadata, storage);
  const notifyOfExpiries = async (): Promise<void> => {
    if (!isEnabled('notifyExpiry')) {
      return;
    }
    const expiries = await check.findNew();
    for (const stage of ['expiring', 'expired'] as const) {
      const found = expiries.filter(expiry => expiry.stage === stage);
      if (found.length > 0) {
        const search = { query: '*', filters: { owned: 'teams', certified: stage } };
        notify(formatExpiries(stage, found, trans), () => void commands.execute(CommandIDs.showSearch, search));
      }
    }
  };
  const update = (): void => {
    notifier.settings = {
      notifyOwned: isEnabled('notifyOwned'),
      notifyRequests: isEnabled('notifyRequests')
    };
  };
  const interval = window.setInterval(() => void notifyOfExpiries(), EXPIRY_INTERVAL_MS);
  settings?.changed.connect(update);
  update();
  void notifyOfExpiries();
  return new DisposableDelegate(() => {
    window.clearInterval(interval);
    settings?.changed.disconnect(update);
    counter.dispose();
    notifier.dispose();
  });
}
