import type { IDisposable } from '@lumino/disposable';
import type { Change } from '../../generated/api';
import type { ICatalog, IChangeFeed, IEntityList } from '../../tokens';
import type { IActivity } from './activities';
import { getRunStatus, groupChanges, isWriteAccess } from './activities';
import { isSetByPeople } from '../set-by-people';
import { parseColumnUrn } from '../urns';

/** Why the user is notified. */
type NotificationReason = 'changed' | 'schema-changed' | 'deleted' | 'run-failed';

/** What the user is notified of. */
export interface IChangeNotification {
  reason: NotificationReason;
  /** The followed entity. */
  urn: string;
  /** What `name` names: the followed entity; the failed program for `run-failed`. */
  named: string;
  /** Its name in its URN. */
  name: string;
  actor: string;
  /** The run that failed. */
  run: string | null;
  /** The changes of the followed entity and its columns, the earliest first. */
  changes: readonly Change[];
}

/** Runs whose writes to followed data are remembered until they end. */
const MAX_RUNS = 500;

/**
 * Notifies of changes of followed entities: changes by others, of the schema by anyone, and failed runs.
 *
 * The change feed is only open while an entity is followed.
 */
export class ChangeNotifier implements IDisposable {
  constructor(
    private _catalog: ICatalog,
    private _feed: IChangeFeed,
    private _followed: IEntityList,
    private _notify: (notification: IChangeNotification) => void
  ) {
    _followed.changed.connect(this._updateSubscription, this);
    this._updateSubscription();
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._followed.changed.disconnect(this._updateSubscription, this);
      this._unsubscribe();
    }
  }

  private _updateSubscription(): void {
    if (this._followed.state.length === 0) {
      this._unsubscribe();
    } else if (this._subscription === null) {
      this._subscription = this._feed.keepOpen();
      this._feed.changed.connect(this._onChanged, this);
    }
  }

  private _unsubscribe(): void {
    this._feed.changed.disconnect(this._onChanged, this);
    this._subscription?.dispose();
    this._subscription = null;
  }

  private _onChanged(_: IChangeFeed, changes: readonly Change[]): void {
    this._rememberWrites(changes);
    const activities = groupChanges([...changes].reverse());
    if (activities.some(activity => this._findFollowed(activity) !== null)) {
      void this._readUser().then(user => {
        activities.forEach(activity => this._notifyOf(activity, user));
      });
    } else {
      this._forgetEndedRuns(changes);
    }
  }

  private _notifyOf(activity: IActivity, user: string): void {
    const urn = this._findFollowed(activity);
    const reason = urn === null ? null : getReason(activity, urn, user);
    if (urn !== null && reason !== null) {
      const named = reason === 'run-failed' ? activity : activity.changes.find(change => isOf(change, urn));
      const { name = urn, urn: namedUrn = urn } = named ?? {};
      const changes = activity.changes.filter(change => isOf(change, urn)).reverse();
      this._notify({ reason, urn, named: namedUrn, name, actor: activity.actor, run: activity.run, changes });
    }
    this._forgetEndedRuns(activity.changes);
  }

  /** Returns the followed entity that an activity concerns: itself, its columns, or what the run writes. */
  private _findFollowed(activity: IActivity): string | null {
    for (const change of activity.changes) {
      const table = parseColumnUrn(change.urn)?.table;
      for (const urn of [change.urn, table]) {
        if (urn !== undefined && this._followed.has(urn)) {
          return urn;
        }
      }
    }
    return activity.run === null ? null : (this._writes.get(activity.run) ?? null);
  }

  /** A run reports what it writes before it reports its end. */
  private _rememberWrites(changes: readonly Change[]): void {
    for (const change of changes) {
      if (
        change.run !== null &&
        isWriteAccess(change) &&
        this._followed.has(change.urn) &&
        this._writes.size < MAX_RUNS
      ) {
        this._writes.set(change.run, change.urn);
      }
    }
  }

  private _forgetEndedRuns(changes: readonly Change[]): void {
    for (const { operation, run } of changes) {
      if (operation === 'run-end' && run !== null) {
        this._writes.delete(run);
      }
    }
  }

  /** Returns the name of the user; empty if it is unknown, and then everyone's changes are notified. */
  private _readUser(): Promise<string> {
    this._user ??= this._catalog.call('readMe', {}).then(
      me => me.user.username,
      () => {
        this._user = null;
        return '';
      }
    );
    return this._user;
  }

  private _subscription: IDisposable | null = null;
  private _isDisposed = false;
  private _user: Promise<string> | null = null;
  /** The followed entity that a running run writes, by the URN of the run. */
  private _writes = new Map<string, string>();
}

/** Whether a change is of an entity or of one of its columns. */
function isOf(change: Change, urn: string): boolean {
  return change.urn === urn || parseColumnUrn(change.urn)?.table === urn;
}

/** Returns why an activity is worth a notification; null if it is not. */
function getReason(activity: IActivity, urn: string, user: string): NotificationReason | null {
  if (getRunStatus(activity) === 'failed') {
    return 'run-failed';
  }
  const changes = activity.changes.filter(change => isOf(change, urn));
  const byOthers = changes.filter(change => change.actor !== user);
  if (byOthers.some(change => change.aspect === null && change.urn === urn && change.operation === 'delete')) {
    return 'deleted';
  }
  if (changes.some(isSchemaChange)) {
    return 'schema-changed';
  }
  return byOthers.some(({ aspect, scope }) => aspect !== null && isSetByPeople({ aspect, scope })) ? 'changed' : null;
}

/** A first schema is not a change. */
function isSchemaChange({ aspect, previous }: Change): boolean {
  return aspect === 'schemaMetadata' && previous !== null;
}
