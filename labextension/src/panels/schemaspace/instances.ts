import type { Change, InstanceSummary, Instances, RecoveryFiles } from '../../generated/api';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import { toProblem, Superseded } from '../../model/problem';
import type { IChangeFeed, IInstanceQuery, InstanceSort, ISchemaspaces } from '../../tokens';

const PAGE = 200;
/** Scrolling far down needs many rows: the maximum page size of the server. */
const NEXT_PAGE = 500;
const TYPING_PAUSE_MS = 150;
const CHANGE_PAUSE_MS = 250;

/** Which instances are shown, by validity. */
export type Validity = 'all' | 'valid' | 'invalid';

/** The state of a section of the panel. */
export interface IInstancesState extends ILiveState {
  text: string;
  /** Only instances with one of these tags are shown; all if it is empty. */
  tags: ReadonlySet<string>;
  /** Only instances of this schema are shown; all if it is empty. */
  schema: string;
  validity: Validity;
  sort: InstanceSort;
  /** Whether the first answer has arrived. */
  answered: boolean;
  /** The first rows; more are loaded on scrolling. */
  rows: readonly InstanceSummary[];
  total: number;
  tagCounts: Instances['tags'];
  schemaCounts: Instances['schemas'];
  cursor: string | null;
  /** The recovery files of interrupted saves. */
  recoveryFiles: RecoveryFiles['recoveryFiles'];
}

const EMPTY: IInstancesState = {
  busy: false,
  problem: null,
  text: '',
  tags: new Set(),
  schema: '',
  validity: 'all',
  sort: 'display_name',
  answered: false,
  rows: [],
  total: 0,
  tagCounts: [],
  schemaCounts: [],
  cursor: null,
  recoveryFiles: []
};

/** Appends a page, without rows that have moved between two requests. */
function appendRows(rows: readonly InstanceSummary[], page: readonly InstanceSummary[]): InstanceSummary[] {
  const names = new Set(rows.map(row => row.name));
  return [...rows, ...page.filter(row => !names.has(row.name))];
}

/** The model of the instances of one schemaspace. */
export class InstancesModel extends LiveModel<IInstancesState> {
  constructor(
    private _spaces: ISchemaspaces,
    feed: IChangeFeed | null,
    /** The name of the schemaspace. */
    readonly space: string
  ) {
    super(feed, EMPTY);
  }

  /** Sets the text filter; loads after a pause in typing. */
  setText(text: string): void {
    this._restart({ text }, TYPING_PAUSE_MS);
  }

  /** Adds a tag to the filter, or removes it. */
  toggleTag(tag: string): void {
    const tags = new Set(this.state.tags);
    if (!tags.delete(tag)) {
      tags.add(tag);
    }
    this._restart({ tags });
  }

  /** Shows only instances of one schema; all for an empty name. */
  filterBySchema(schema: string): void {
    this._restart({ schema });
  }

  filterByValidity(validity: Validity): void {
    this._restart({ validity });
  }

  sortBy(sort: InstanceSort): void {
    this._restart({ sort });
  }

  /** Removes all filters. */
  clearFilters(): void {
    this._restart({ text: '', tags: new Set(), schema: '', validity: 'all' });
  }

  /** Whether any filter is set. */
  get isFiltered(): boolean {
    const { text, tags, schema, validity } = this.state;
    return text.trim() !== '' || tags.size > 0 || schema !== '' || validity !== 'all';
  }

  /** Loads the rows up to the given one. */
  async loadUpTo(row: number): Promise<void> {
    this._requiredRows = Math.max(PAGE, row + 1);
    if (this._isFetching || this.state.busy) {
      return;
    }
    this._isFetching = true;
    try {
      while (this.state.cursor !== null && this.state.rows.length < this._requiredRows && !this.isDisposed) {
        await this._loadNext(this.state.cursor);
      }
    } catch (reason) {
      if (!(reason instanceof Superseded)) {
        this.setState({ problem: toProblem(reason) });
      }
    } finally {
      this._isFetching = false;
    }
  }

  override show(): void {
    super.show();
    void this.loadRecoveryFiles();
  }

  /** Loads the recovery files; without an answer, instances are shown without them. */
  async loadRecoveryFiles(): Promise<void> {
    try {
      this.setState({ recoveryFiles: (await this._spaces.listRecoveryFiles(this.space)).recoveryFiles });
    } catch {
      this.setState({ recoveryFiles: [] });
    }
  }

  /** Restores the instance of a recovery file; returns whether it succeeded. */
  restoreRecoveryFile(file: string): Promise<boolean> {
    return this._changeRecoveryFiles(() => this._spaces.restoreRecoveryFile(this.space, file));
  }

  /** Deletes a recovery file; returns whether it succeeded. */
  discardRecoveryFile(file: string): Promise<boolean> {
    return this._changeRecoveryFiles(() => this._spaces.discardRecoveryFile(this.space, file));
  }

  override async refresh(): Promise<boolean> {
    this._isScheduled = false;
    const answered = await super.refresh();
    if (answered && this._isStale) {
      this._isStale = false;
      this._scheduleOnce();
    }
    return answered;
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IInstancesState>> {
    const first = await this._readPage({}, signal);
    let { cursor } = first;
    let rows: readonly InstanceSummary[] = first.instances;
    while (cursor !== null && rows.length < this._requiredRows) {
      const page = await this._readPage({ cursor }, signal);
      rows = appendRows(rows, page.instances);
      cursor = page.cursor;
    }
    const { total, tags: tagCounts, schemas: schemaCounts } = first;
    return { rows, cursor, total, tagCounts, schemaCounts, answered: true };
  }

  protected override onChanges(changes: readonly Change[]): void {
    const prefix = `urn:li:instance:(${this.space},`;
    if (!changes.some(change => change.urn.startsWith(prefix))) {
      return;
    }
    // With a constant flow of changes, neither the current request is cancelled nor the pending one postponed.
    if (this.state.busy) {
      this._isStale = true;
    } else {
      this._scheduleOnce();
    }
  }

  private async _changeRecoveryFiles(change: () => Promise<unknown>): Promise<boolean> {
    try {
      await change();
      await this.refresh();
      return true;
    } catch (reason) {
      this.setState({ problem: toProblem(reason) });
      return false;
    } finally {
      await this.loadRecoveryFiles();
    }
  }

  private _scheduleOnce(): void {
    if (!this._isScheduled) {
      this._isScheduled = true;
      this.scheduleRefresh(CHANGE_PAUSE_MS);
    }
  }

  private async _loadNext(cursor: string): Promise<void> {
    const asking = this.currentSignal;
    const page = await this._readPage({ cursor }, asking);
    if (asking?.aborted) {
      throw new Superseded();
    }
    this.setState({ rows: appendRows(this.state.rows, page.instances), cursor: page.cursor });
  }

  private _readPage(place: Pick<IInstanceQuery, 'cursor'>, signal?: AbortSignal): Promise<Instances> {
    const { text, tags, schema, validity, sort } = this.state;
    const limit = place.cursor === undefined ? PAGE : NEXT_PAGE;
    const question: IInstanceQuery = { q: text.trim(), tags: [...tags], schema, sort, limit, ...place };
    if (validity !== 'all') {
      question.valid = validity === 'valid';
    }
    return this._spaces.listInstances(this.space, question, signal);
  }

  /** Loads from the first row for other filters. */
  private _restart(change: Partial<IInstancesState>, pause = 0): void {
    this._requiredRows = PAGE;
    this._isScheduled = true;
    this.setState(change);
    this.scheduleRefresh(pause);
  }

  private _requiredRows = PAGE;
  /** Whether something changed during the request. */
  private _isStale = false;
  /** Whether a request is scheduled. */
  private _isScheduled = false;
  private _isFetching = false;
}
