import type { Change } from '../../generated/api';
import { DisplayNames } from '../../model/display-names';
import type { IActivity } from '../../model/live/activities';
import { groupChanges } from '../../model/live/activities';
import type { ReadPermission } from '../../model/permissions';
import { readPermission } from '../../model/permissions';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import type { ICatalog, IChangeFeed } from '../../tokens';

/** Changes are read in windows of this many sequence numbers, since the change log is read forwards. */
const WINDOW = 200;

/** More changes are dropped from the list as new ones arrive; they can be loaded again. */
const MAX_CHANGES = 2000;

/** The state of the activity panel. */
export interface IActivityState extends ILiveState {
  /** The latest first. */
  activities: readonly IActivity[];
  /** The time of the earliest loaded change; empty if there is none. */
  earliest: string;
  /** Changes up to this sequence number arrived while the panel was shown: later ones pulse. */
  seenUntil: number;
  /** Whether there are earlier changes. */
  hasMore: boolean;
  /** How much the user may read; null if there are changes. */
  permission: ReadPermission | null;
}

/** The latest changes of the catalog that the user may read. */
export class ActivityModel extends LiveModel<IActivityState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null
  ) {
    super(feed, {
      ...{ activities: [], earliest: '', seenUntil: Infinity, hasMore: false, permission: null },
      ...{ busy: false, problem: null }
    });
    this.names = new DisplayNames(_catalog, feed);
  }

  /** The names of the entities of the list. */
  readonly names: DisplayNames;

  override dispose(): void {
    this.names.dispose();
    super.dispose();
  }

  /** Loads earlier changes; a failure becomes the `problem`. */
  async loadMore(): Promise<void> {
    const end = this._start;
    this.setState({ busy: true });
    try {
      const earlier = await this._readWindow(end, this.currentSignal);
      // A refresh in the meantime starts again.
      if (this._start === end) {
        this._setStart(end);
        this._setChanges([...this._changes, ...earlier]);
      }
      this.setState({ busy: false, problem: null });
    } catch {
      await this.refresh();
    }
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IActivityState>> {
    const { cursor } = await this._catalog.call('readChanges', { limit: 0 }, { signal });
    const changes = await this._readWindow(cursor, signal);
    this._setStart(cursor);
    this._changes = changes;
    const permission = changes.length === 0 ? await readPermission(this._catalog, signal) : null;
    return { ...this._createState(), seenUntil: cursor, permission };
  }

  protected override onChanges(changes: readonly Change[]): void {
    const known = this._changes[0]?.seq ?? 0;
    const added = changes.filter(change => change.seq > known).reverse();
    if (added.length > 0) {
      this._setChanges([...added, ...this._changes].slice(0, MAX_CHANGES));
    }
  }

  /** Reads the changes of the window that ends with a sequence number, the latest first. */
  private async _readWindow(end: number, signal: AbortSignal | undefined): Promise<Change[]> {
    const after = Math.max(0, end - WINDOW);
    const limit = end - after;
    if (limit === 0) {
      return [];
    }
    const { changes } = await this._catalog.call('readChanges', { after, limit }, { signal });
    return changes.filter(change => change.seq <= end).reverse();
  }

  private _setStart(end: number): void {
    this._start = Math.max(0, end - WINDOW);
  }

  private _setChanges(changes: readonly Change[]): void {
    this._changes = changes;
    this.setState(this._createState());
  }

  private _createState(): Pick<IActivityState, 'activities' | 'earliest' | 'hasMore'> {
    const earliest = this._changes.at(-1)?.time ?? '';
    return { activities: groupChanges(this._changes), earliest, hasMore: this._start > 0 };
  }

  private _changes: readonly Change[] = [];
  /** Changes up to this sequence number are not loaded. */
  private _start = 0;
}
