import type { Change, SearchResults } from '../../generated/api';
import type { ILiveState } from '../../model/live-model';
import { LiveModel } from '../../model/live-model';
import { asProblem, Superseded } from '../../model/problem';
import type { IFoundKey, Key } from '../../model/query';
import { carrierQuery, foundKeys, keyPrefix, typedQuery } from '../../model/query';
import type { IRecent } from '../../model/recent';
import { recentEntities } from '../../model/recent';
import type { ISavedSearch, SavedSearches } from '../../model/saved-searches';
import type { ICatalog, IChangeFeed, IPage, ISearchFilters } from '../../tokens';

type Hit = SearchResults['hits'][number];

const PAGE = 50;
const RECENT_CHANGES = 300;
const TYPING_PAUSE_MS = 150;
const CHANGE_PAUSE_MS = 300;

/** What the search panel shows. */
export interface ISearchState extends ILiveState {
  text: string;
  /** The key whose carriers are listed, if one was picked. */
  picked: Pick<Key, 'key' | 'kind'> | null;
  /** Whether an answer has come for this text. */
  answered: boolean;
  keys: readonly IFoundKey[];
  moreKeys: boolean;
  hits: readonly Hit[];
  recent: readonly IRecent[];
  total: number;
  isLowerBound: boolean;
  cursor: string | null;
  filters: ISearchFilters;
  facets: SearchResults['facets'];
  labels: SearchResults['labels'];
  saved: readonly ISavedSearch[];
}

type Answer = Partial<ISearchState>;

/** What is left of an answer when another question fails: the old one would be taken for the new one's. */
const UNANSWERED = {
  answered: false,
  keys: [],
  moreKeys: false,
  hits: [],
  recent: [],
  total: 0,
  isLowerBound: false,
  cursor: null,
  facets: {},
  labels: {}
} satisfies Answer;

const EMPTY: ISearchState = {
  ...UNANSWERED,
  text: '',
  picked: null,
  busy: false,
  problem: null,
  filters: {},
  saved: []
};

/** State of the search panel: what was typed and what the catalog answered. */
export class SearchModel extends LiveModel<ISearchState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    private _saved: SavedSearches | null = null
  ) {
    super(feed, EMPTY);
  }

  /** Whether searches can be kept. */
  get keeps(): boolean {
    return this._saved !== null;
  }

  /** Types: asks when the fingers rest. */
  type(text: string): void {
    this._whole = false;
    this.set(text.trim() === '' ? { text, picked: null, filters: {} } : { text, picked: null });
    this.refreshSoon(TYPING_PAUSE_MS);
  }

  /** Lists everything that carries a key. */
  async pick(key: Pick<Key, 'key' | 'kind'>): Promise<void> {
    this.set({ text: carrierQuery(key), picked: key, filters: {} });
    await this.refresh();
  }

  /** Narrows the search down to one value, or no longer. */
  toggleFilter(name: string, value: string): void {
    const { [name]: picked, ...others } = this.state.filters;
    this.set({ filters: picked === value ? others : { ...others, [name]: value } });
    void this.refresh();
  }

  /** Keeps the search that is shown. */
  save(displayName: string): Promise<void> {
    const search = { query: this._query(), filters: this.state.filters };
    return this._with(async saved => saved.save(displayName, search));
  }

  /** Does a kept search again. */
  open(kept: ISavedSearch): Promise<void> {
    return this._with(async saved => {
      const { query, filters } = await saved.read(kept);
      this._whole = true;
      this.set({ text: query, picked: null, filters });
      await this.refresh();
    });
  }

  /** Throws a kept search away. */
  forget(kept: ISavedSearch): Promise<void> {
    return this._with(async saved => {
      await saved.remove(kept);
      await this.refresh();
    });
  }

  /** Adds the next page of hits. */
  async more(): Promise<void> {
    const { cursor, hits } = this.state;
    if (cursor === null) {
      return;
    }
    this.set({ busy: true });
    try {
      const answer = await this._search({ cursor }, this.asking);
      this.set({ hits: [...hits, ...answer.hits], cursor: answer.cursor, busy: false });
    } catch (reason) {
      if (!(reason instanceof Superseded)) {
        this.set({ busy: false, problem: asProblem(reason) });
      }
    }
  }

  protected override async ask(signal: AbortSignal): Promise<Answer> {
    const question = JSON.stringify([this._query(), this.state.filters]);
    try {
      const answer = await this._answer(signal);
      this._answered = question;
      return { ...answer, answered: true };
    } catch (reason) {
      if (!signal.aborted && this._answered !== question) {
        this.set(UNANSWERED);
      }
      throw reason;
    }
  }

  protected override heard(changes: readonly Change[]): void {
    // Runs that start and end change nothing that is listed here.
    if (changes.some(change => !['run-start', 'run-end'].includes(change.operation))) {
      this.refreshSoon(CHANGE_PAUSE_MS);
    }
  }

  private _query(): string {
    return this.state.picked || this._whole ? this.state.text : typedQuery(this.state.text);
  }

  private _search(page: IPage, signal: AbortSignal | undefined): Promise<SearchResults> {
    return this._catalog.call('search', { q: this._query(), ...this.state.filters, ...page, limit: PAGE }, { signal });
  }

  private async _with(work: (saved: SavedSearches) => Promise<void>): Promise<void> {
    try {
      await (this._saved && work(this._saved));
    } catch (reason) {
      this.set({ problem: asProblem(reason) });
    }
  }

  private _answer(signal: AbortSignal): Promise<Answer> {
    if (this.state.text.trim() === '') {
      return this._askAll(signal);
    }
    return this.state.picked ? this._askCarriers(signal) : this._askTyped(signal);
  }

  /** Nothing typed: every key, and what changed lately. */
  private async _askAll(signal: AbortSignal): Promise<Answer> {
    const [keys, head, saved] = await Promise.all([
      this._catalog.call('listKeys', { limit: PAGE * 2 }, { signal }),
      this._catalog.call('readChanges', { after: 0, limit: 0 }),
      this._saved?.all(signal) ?? []
    ]);
    const after = Math.max(0, head.cursor - RECENT_CHANGES);
    const log = await this._catalog.call('readChanges', { after, limit: RECENT_CHANGES });
    return {
      keys: foundKeys(keys.keys, []),
      moreKeys: keys.cursor !== null,
      hits: [],
      recent: recentEntities(log.changes),
      total: 0,
      isLowerBound: false,
      cursor: null,
      facets: {},
      labels: {},
      saved
    };
  }

  private async _askTyped(signal: AbortSignal): Promise<Answer> {
    const prefix = keyPrefix(this.state.text);
    const [keys, answer] = await Promise.all([
      prefix === '' ? { keys: [], cursor: null } : this._catalog.call('listKeys', { prefix, limit: PAGE }, { signal }),
      this._search({}, signal)
    ]);
    return {
      ...this._page(answer),
      keys: foundKeys(keys.keys, answer.hits),
      moreKeys: keys.cursor !== null
    };
  }

  private async _askCarriers(signal: AbortSignal): Promise<Answer> {
    const answer = await this._search({}, signal);
    return { ...this._page(answer), keys: [], moreKeys: false };
  }

  private _page(answer: SearchResults): Answer {
    const { hits, total, isLowerBound, cursor, facets, labels } = answer;
    return { hits, total, isLowerBound, cursor, facets, labels, recent: [] };
  }

  /** The question to which the answer is shown. */
  private _answered = '';
  /** Whether the text is a kept query, in which no word is still growing. */
  private _whole = false;
}
