import type { IDisposable } from '@lumino/disposable';
import type { Change, MyTeams } from '../../generated/api';
import type { ICatalog, IChangeFeed, IEntityList } from '../../tokens';
import { isSetByPeople } from '../set-by-people';
import { parseColumnUrn, shortenUrn } from '../urns';
import { REQUEST_TYPE } from './request-list';

/** Why an owner is notified. */
type OwnerNotificationReason =
  | 'changed'
  | 'schema-changed'
  | 'deleted'
  | 'asked'
  | 'answered'
  | 'declined'
  | 'proposed'
  | 'applied'
  | 'rejected'
  | 'commented';

/** What an owner is notified of: one entity with its changes. */
export interface IOwnerNotification {
  reason: OwnerNotificationReason;
  /** The entity; of a request what it is about. */
  urn: string;
  name: string;
  actor: string;
  /** The text of a request; empty for changes of entities. */
  text: string;
  /** The changes of an entity and its columns, the earliest first; empty for requests. */
  changes: readonly Change[];
}

/** What is notified. */
export interface IOwnerNotifierSettings {
  notifyOwned: boolean;
  notifyRequests: boolean;
}

const PAUSE_MS = 2000;
/** The server compares at most this many entities with their owners at once. */
const MAX_ENTITIES = 500;

interface IRequestValue {
  about?: string;
  kind?: string;
  text?: string;
  author?: string;
  state?: string;
  assignees?: readonly string[];
}

/**
 * Notifies of changes by others of entities that the user or a team of the user owns, and of requests.
 *
 * Changes that arrive together are notified together, each entity once. Followed entities are left to the notifications
 * of those who follow.
 */
export class OwnerNotifier implements IDisposable {
  constructor(
    private _catalog: ICatalog,
    private _feed: IChangeFeed,
    private _followed: IEntityList | null,
    private _notify: (notifications: readonly IOwnerNotification[]) => void,
    private _pauseMs = PAUSE_MS
  ) {}

  /** Whether nothing is notified any more. */
  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Chooses what is notified; the change feed is only open while there is something. */
  set settings(settings: IOwnerNotifierSettings) {
    this._settings = settings;
    const isNeeded = !this._isDisposed && (settings.notifyOwned || settings.notifyRequests);
    if (isNeeded && this._subscription === null) {
      this._subscription = this._feed.keepOpen();
      this._feed.changed.connect(this._onChanged, this);
    } else if (!isNeeded) {
      this._unsubscribe();
    }
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._unsubscribe();
    }
  }

  private _unsubscribe(): void {
    window.clearTimeout(this._timer);
    this._changes = [];
    this._feed.changed.disconnect(this._onChanged, this);
    this._subscription?.dispose();
    this._subscription = null;
  }

  private _onChanged(_: IChangeFeed, changes: readonly Change[]): void {
    const concerning = changes.filter(
      change => getReason(change) !== null || (change.type === REQUEST_TYPE && change.aspect === REQUEST_TYPE)
    );
    if (concerning.length > 0) {
      this._changes.push(...concerning);
      window.clearTimeout(this._timer);
      this._timer = window.setTimeout(() => void this._notifyOfChanges(), this._pauseMs);
    }
  }

  private async _notifyOfChanges(): Promise<void> {
    const changes = this._changes;
    this._changes = [];
    try {
      const me = await this._catalog.call('listMyTeams', {});
      const user = getKey(me.user);
      const byOthers = changes.filter(({ actor }) => actor !== user);
      const { notifyOwned, notifyRequests } = this._settings;
      const notifications = [
        ...(notifyRequests ? byOthers.flatMap(change => toRequestNotification(change, me)) : []),
        ...(notifyOwned ? await this._listOwned(byOthers.filter(({ type }) => type !== REQUEST_TYPE)) : [])
      ];
      if (notifications.length > 0 && !this._isDisposed) {
        this._notify(notifications);
      }
    } catch {
      // The server cannot be reached: the activity panel shows the changes later.
    }
  }

  /** Returns the notifications of the changes of owned entities, the last change of each. */
  private async _listOwned(changes: readonly Change[]): Promise<IOwnerNotification[]> {
    const latest = new Map<string, IOwnerNotification>();
    for (const change of changes) {
      const urn = parseColumnUrn(change.urn)?.table ?? change.urn;
      const notification = toChangeNotification(change, urn, latest.get(urn));
      if (notification !== null && this._followed?.has(urn) !== true) {
        latest.set(urn, notification);
      }
    }
    const urns = [...latest.keys()].slice(0, MAX_ENTITIES);
    if (urns.length === 0) {
      return [];
    }
    const owned = new Set((await this._catalog.call('filterOwnedEntities', {}, { body: { urns } })).urns);
    return [...latest.values()].filter(({ urn }) => owned.has(urn));
  }

  private _settings: IOwnerNotifierSettings = { notifyOwned: false, notifyRequests: false };
  private _changes: Change[] = [];
  private _timer = 0;
  private _subscription: IDisposable | null = null;
  private _isDisposed = false;
}

/** Returns the key of the URN of a user or a team. */
function getKey(urn: string): string {
  return decodeURIComponent(urn.replace(/^urn:li:\w+:/, ''));
}

/** Returns why a change of an entity is worth a notification; null if it is not. */
function getReason({
  type,
  aspect,
  scope,
  previous,
  operation,
  value
}: Change): 'changed' | 'schema-changed' | 'deleted' | null {
  if (type === REQUEST_TYPE) {
    return null;
  }
  const { removed }: { removed?: unknown } = value ?? {};
  if ((aspect === null && operation === 'delete') || (aspect === 'status' && removed === true)) {
    return 'deleted';
  }
  if (aspect === 'schemaMetadata' && previous !== null) {
    return 'schema-changed';
  }
  return aspect !== null && isSetByPeople({ aspect, scope }) ? 'changed' : null;
}

/** Returns the notification of a change of an entity or its columns, given the earlier one; null if there is none. */
function toChangeNotification(
  change: Change,
  urn: string,
  earlier: IOwnerNotification | undefined
): IOwnerNotification | null {
  const reason = getReason(change);
  if (reason === null) {
    return null;
  }
  // A later change of user metadata does not replace the reason that the schema has changed.
  const kept = reason === 'changed' && earlier !== undefined ? earlier.reason : reason;
  const name = change.urn === urn ? change.name : (earlier?.name ?? shortenUrn(urn));
  return { reason: kept, urn, name, actor: change.actor, text: '', changes: [...(earlier?.changes ?? []), change] };
}

/** Returns the notification of a new request to the user, or of an answer to a request of the user. */
function toRequestNotification({ type, aspect, actor, value, previous }: Change, me: MyTeams): IOwnerNotification[] {
  if (type !== REQUEST_TYPE || aspect !== REQUEST_TYPE || value === null) {
    return [];
  }
  const request: IRequestValue = value;
  const { about = '', text = '', author, kind, state } = request;
  const subject = { urn: about, name: about, actor, text, changes: [] };
  if (state === 'open' && isNewlyAssigned(request, previous, me)) {
    return [{ reason: kind === 'change' ? 'proposed' : 'asked', ...subject }];
  }
  const isResponse = author === me.user && previous !== null;
  return isResponse ? [{ reason: getResponseReason(request), ...subject }] : [];
}

/** Returns why the author of a request is notified of its new value. */
function getResponseReason({ kind, state }: IRequestValue): OwnerNotificationReason {
  if (kind === 'change') {
    return state === 'open' ? 'commented' : state === 'declined' ? 'rejected' : 'applied';
  }
  return state === 'declined' ? 'declined' : 'answered';
}

/** Whether a change assigned a request to the user or a team of the user. */
function isNewlyAssigned(value: IRequestValue, previous: IRequestValue | null, me: MyTeams): boolean {
  const mine = new Set([me.user, ...me.teams.map(({ owner }) => owner)].flatMap(urn => [urn, getKey(urn)]));
  const before = previous?.assignees ?? [];
  return (value.assignees ?? []).some(owner => mine.has(owner) && !before.includes(owner));
}
