import type { Change, InstanceSummary, Instances, RecoveryFiles } from '../../generated/api';
import type { ILiveState } from '../../model/live-model';
import { LiveModel } from '../../model/live-model';
import { asProblem, Superseded } from '../../model/problem';
import type { IChangeFeed, IInstanceQuestion, InstanceSort, ISchemaspaces } from '../../tokens';

const PAGE = 200;
/** Whoever goes far down is after many at once: as many as the server gives. */
const PAGE_FURTHER = 500;
const TYPING_PAUSE_MS = 150;
const CHANGE_PAUSE_MS = 250;

/** Which instances are shown, as far as they are valid. */
export type Validity = 'all' | 'valid' | 'invalid';

/** What a section of the panel shows of its schemaspace. */
export interface IInstancesState extends ILiveState {
  text: string;
  /** Instances with one of these are shown; all where there is none. */
  tags: ReadonlySet<string>;
  /** Instances of this schema are shown; all where it is empty. */
  schema: string;
  validity: Validity;
  sort: InstanceSort;
  /** Whether an answer has come at all. */
  answered: boolean;
  /** The first rows of all that were found; more are fetched when they come into view. */
  rows: readonly InstanceSummary[];
  total: number;
  tagCounts: Instances['tags'];
  schemaCounts: Instances['schemas'];
  cursor: string | null;
  /** What killed saves left behind. */
  leftovers: RecoveryFiles['recoveryFiles'];
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
  leftovers: []
};

/** A page put after others; what moved between two questions is there once. */
function joined(rows: readonly InstanceSummary[], page: readonly InstanceSummary[]): InstanceSummary[] {
  const have = new Set(rows.map(row => row.name));
  return [...rows, ...page.filter(row => !have.has(row.name))];
}

/** The instances of one schemaspace, as far as they were asked for and looked at. */
export class InstancesModel extends LiveModel<IInstancesState> {
  constructor(
    private _spaces: ISchemaspaces,
    feed: IChangeFeed | null,
    /** The schemaspace's name. */
    readonly space: string
  ) {
    super(feed, EMPTY);
  }

  /** Types into the filter: asks when the fingers rest. */
  type(text: string): void {
    this._anew({ text }, TYPING_PAUSE_MS);
  }

  /** Takes a tag into the filter, or out of it. */
  toggleTag(tag: string): void {
    const tags = new Set(this.state.tags);
    if (!tags.delete(tag)) {
      tags.add(tag);
    }
    this._anew({ tags });
  }

  /** Shows instances of one schema, or of all for an empty word. */
  ofSchema(schema: string): void {
    this._anew({ schema });
  }

  showOnly(validity: Validity): void {
    this._anew({ validity });
  }

  sortBy(sort: InstanceSort): void {
    this._anew({ sort });
  }

  /** Takes every filter away. */
  clear(): void {
    this._anew({ text: '', tags: new Set(), schema: '', validity: 'all' });
  }

  /** Whether anything is filtered at all. */
  get filtered(): boolean {
    const { text, tags, schema, validity } = this.state;
    return text.trim() !== '' || tags.size > 0 || schema !== '' || validity !== 'all';
  }

  /** Rows up to this one are looked at: fetches what of them is not there. */
  async reach(row: number): Promise<void> {
    this._wanted = Math.max(PAGE, row + 1);
    if (this._fetching || this.state.busy) {
      return;
    }
    this._fetching = true;
    try {
      while (this.state.cursor !== null && this.state.rows.length < this._wanted && !this.isDisposed) {
        await this._next(this.state.cursor);
      }
    } catch (reason) {
      if (!(reason instanceof Superseded)) {
        this.set({ problem: asProblem(reason) });
      }
    } finally {
      this._fetching = false;
    }
  }

  override show(): void {
    super.show();
    void this.lookForLeftovers();
  }

  /** Asks for what killed saves left behind. Where that cannot be told, the instances are shown without it. */
  async lookForLeftovers(): Promise<void> {
    try {
      this.set({ leftovers: (await this._spaces.leftovers(this.space)).recoveryFiles });
    } catch {
      this.set({ leftovers: [] });
    }
  }

  /** Lets a leftover be its instance again; whether that was done. */
  recover(file: string): Promise<boolean> {
    return this._tidy(() => this._spaces.recover(this.space, file));
  }

  /** Throws a leftover away; whether that was done. */
  discard(file: string): Promise<boolean> {
    return this._tidy(() => this._spaces.discard(this.space, file));
  }

  override async refresh(): Promise<boolean> {
    this._waiting = false;
    const answered = await super.refresh();
    if (answered && this._stale) {
      this._stale = false;
      this._refreshOnce();
    }
    return answered;
  }

  protected override async ask(signal: AbortSignal): Promise<Partial<IInstancesState>> {
    const first = await this._page({}, signal);
    let { cursor } = first;
    let rows: readonly InstanceSummary[] = first.instances;
    while (cursor !== null && rows.length < this._wanted) {
      const page = await this._page({ cursor }, signal);
      rows = joined(rows, page.instances);
      cursor = page.cursor;
    }
    const { total, tags: tagCounts, schemas: schemaCounts } = first;
    return { rows, cursor, total, tagCounts, schemaCounts, answered: true };
  }

  protected override heard(changes: readonly Change[]): void {
    const beginning = `urn:li:instance:(${this.space},`;
    if (!changes.some(change => change.urn.startsWith(beginning))) {
      return;
    }
    // Changes may come without end: neither is what is being asked given up for them, nor what waits put off.
    if (this.state.busy) {
      this._stale = true;
    } else {
      this._refreshOnce();
    }
  }

  private async _tidy(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      await this.refresh();
      return true;
    } catch (reason) {
      this.set({ problem: asProblem(reason) });
      return false;
    } finally {
      await this.lookForLeftovers();
    }
  }

  private _refreshOnce(): void {
    if (!this._waiting) {
      this._waiting = true;
      this.refreshSoon(CHANGE_PAUSE_MS);
    }
  }

  private async _next(cursor: string): Promise<void> {
    const asking = this.asking;
    const page = await this._page({ cursor }, asking);
    if (asking?.aborted) {
      throw new Superseded();
    }
    this.set({ rows: joined(this.state.rows, page.instances), cursor: page.cursor });
  }

  private _page(place: Pick<IInstanceQuestion, 'cursor'>, signal?: AbortSignal): Promise<Instances> {
    const { text, tags, schema, validity, sort } = this.state;
    const limit = place.cursor === undefined ? PAGE : PAGE_FURTHER;
    const question: IInstanceQuestion = { q: text.trim(), tags: [...tags], schema, sort, limit, ...place };
    if (validity !== 'all') {
      question.valid = validity === 'valid';
    }
    return this._spaces.instances(this.space, question, signal);
  }

  /** Another question: what is looked at begins at the top again. */
  private _anew(change: Partial<IInstancesState>, pause = 0): void {
    this._wanted = PAGE;
    this._waiting = true;
    this.set(change);
    this.refreshSoon(pause);
  }

  private _wanted = PAGE;
  /** Whether something changed while it was asked. */
  private _stale = false;
  /** Whether it is to be asked again in a moment. */
  private _waiting = false;
  private _fetching = false;
}
