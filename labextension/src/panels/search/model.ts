import type { Change, SearchResults } from '../../generated/api';
import type { ILiveState } from '../../model/live-model';
import { LiveModel } from '../../model/live-model';
import { toProblem, Superseded } from '../../model/problem';
import type { IFoundKey, Key } from '../../model/query';
import { toKeyQuery, mergeKeys, getKeyPrefix, toTypedQuery } from '../../model/query';
import type { IRecentEntity } from '../../model/recent';
import { listRecentEntities } from '../../model/recent';
import type { ISavedSearch, SavedSearchStore } from '../../model/saved-searches';
import type { ICatalog, IChangeFeed, IPage, ISearchFilters } from '../../tokens';

type Hit = SearchResults['hits'][number];

const PAGE = 50;
const RECENT_CHANGES = 300;
const TYPING_PAUSE_MS = 150;
const CHANGE_PAUSE_MS = 300;

/** The state of the search panel. */
export interface ISearchState extends ILiveState {
  text: string;
  /** The selected key whose entities are listed, if any. */
  selectedKey: Pick<Key, 'key' | 'kind'> | null;
  /** Whether there is an answer to the current query. */
  answered: boolean;
  keys: readonly IFoundKey[];
  moreKeys: boolean;
  hits: readonly Hit[];
  recent: readonly IRecentEntity[];
  total: number;
  isLowerBound: boolean;
  cursor: string | null;
  filters: ISearchFilters;
  facets: SearchResults['facets'];
  labels: SearchResults['labels'];
  saved: readonly ISavedSearch[];
}

type Answer = Partial<ISearchState>;

/** Clears the answer to a previous query when another query fails. */
const NO_ANSWER = {
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
  ...NO_ANSWER,
  text: '',
  selectedKey: null,
  busy: false,
  problem: null,
  filters: {},
  saved: []
};

/** The model of the search panel: the query and its answer. */
export class SearchModel extends LiveModel<ISearchState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    private _saved: SavedSearchStore | null = null
  ) {
    super(feed, EMPTY);
  }

  /** Whether searches can be saved. */
  get canSave(): boolean {
    return this._saved !== null;
  }

  /** Sets the query; searches after a pause in typing. */
  setText(text: string): void {
    this._isSavedQuery = false;
    this.setState(text.trim() === '' ? { text, selectedKey: null, filters: {} } : { text, selectedKey: null });
    this.scheduleRefresh(TYPING_PAUSE_MS);
  }

  /** Lists all entities with a key. */
  async selectKey(key: Pick<Key, 'key' | 'kind'>): Promise<void> {
    this.setState({ text: toKeyQuery(key), selectedKey: key, filters: {} });
    await this.refresh();
  }

  /** Sets a filter, or removes it. */
  toggleFilter(name: string, value: string): void {
    const { [name]: picked, ...others } = this.state.filters;
    this.setState({ filters: picked === value ? others : { ...others, [name]: value } });
    void this.refresh();
  }

  /** Saves the current search. */
  save(displayName: string): Promise<void> {
    const search = { query: this._getQuery(), filters: this.state.filters };
    return this._withSavedSearches(async saved => saved.save(displayName, search));
  }

  /** Opens a saved search. */
  openSaved(savedSearch: ISavedSearch): Promise<void> {
    return this._withSavedSearches(async saved => {
      const { query, filters } = await saved.read(savedSearch);
      this._isSavedQuery = true;
      this.setState({ text: query, selectedKey: null, filters });
      await this.refresh();
    });
  }

  /** Deletes a saved search. */
  deleteSaved(savedSearch: ISavedSearch): Promise<void> {
    return this._withSavedSearches(async saved => {
      await saved.remove(savedSearch);
      await this.refresh();
    });
  }

  /** Adds the next page of hits. */
  async loadMore(): Promise<void> {
    const { cursor, hits } = this.state;
    if (cursor === null) {
      return;
    }
    this.setState({ busy: true });
    try {
      const answer = await this._search({ cursor }, this.currentSignal);
      this.setState({ hits: [...hits, ...answer.hits], cursor: answer.cursor, busy: false });
    } catch (reason) {
      if (!(reason instanceof Superseded)) {
        this.setState({ busy: false, problem: toProblem(reason) });
      }
    }
  }

  protected override async load(signal: AbortSignal): Promise<Answer> {
    const query = JSON.stringify([this._getQuery(), this.state.filters]);
    try {
      const answer = await this._loadAnswer(signal);
      this._answeredQuery = query;
      return { ...answer, answered: true };
    } catch (reason) {
      if (!signal.aborted && this._answeredQuery !== query) {
        this.setState(NO_ANSWER);
      }
      throw reason;
    }
  }

  protected override onChanges(changes: readonly Change[]): void {
    // The start and the end of runs do not change what is listed here.
    if (changes.some(change => !['run-start', 'run-end'].includes(change.operation))) {
      this.scheduleRefresh(CHANGE_PAUSE_MS);
    }
  }

  private _getQuery(): string {
    return this.state.selectedKey || this._isSavedQuery ? this.state.text : toTypedQuery(this.state.text);
  }

  private _search(page: IPage, signal: AbortSignal | undefined): Promise<SearchResults> {
    return this._catalog.call(
      'search',
      { q: this._getQuery(), ...this.state.filters, ...page, limit: PAGE },
      { signal }
    );
  }

  private async _withSavedSearches(run: (saved: SavedSearchStore) => Promise<void>): Promise<void> {
    try {
      await (this._saved && run(this._saved));
    } catch (reason) {
      this.setState({ problem: toProblem(reason) });
    }
  }

  private _loadAnswer(signal: AbortSignal): Promise<Answer> {
    if (this.state.text.trim() === '') {
      return this._loadAll(signal);
    }
    return this.state.selectedKey ? this._searchKey(signal) : this._searchText(signal);
  }

  /** Without a query: all keys, and recent changes. */
  private async _loadAll(signal: AbortSignal): Promise<Answer> {
    const [keys, head, saved] = await Promise.all([
      this._catalog.call('listKeys', { limit: PAGE * 2 }, { signal }),
      this._catalog.call('readChanges', { after: 0, limit: 0 }),
      this._saved?.list(signal) ?? []
    ]);
    const after = Math.max(0, head.cursor - RECENT_CHANGES);
    const log = await this._catalog.call('readChanges', { after, limit: RECENT_CHANGES });
    return {
      keys: mergeKeys(keys.keys, []),
      moreKeys: keys.cursor !== null,
      hits: [],
      recent: listRecentEntities(log.changes),
      total: 0,
      isLowerBound: false,
      cursor: null,
      facets: {},
      labels: {},
      saved
    };
  }

  private async _searchText(signal: AbortSignal): Promise<Answer> {
    const prefix = getKeyPrefix(this.state.text);
    const [keys, answer] = await Promise.all([
      prefix === '' ? { keys: [], cursor: null } : this._catalog.call('listKeys', { prefix, limit: PAGE }, { signal }),
      this._search({}, signal)
    ]);
    return {
      ...this._toAnswer(answer),
      keys: mergeKeys(keys.keys, answer.hits),
      moreKeys: keys.cursor !== null
    };
  }

  private async _searchKey(signal: AbortSignal): Promise<Answer> {
    const answer = await this._search({}, signal);
    return { ...this._toAnswer(answer), keys: [], moreKeys: false };
  }

  private _toAnswer(answer: SearchResults): Answer {
    const { hits, total, isLowerBound, cursor, facets, labels } = answer;
    return { hits, total, isLowerBound, cursor, facets, labels, recent: [] };
  }

  /** The query of the current answer. */
  private _answeredQuery = '';
  /** Whether the text is a saved query, so that no word is incomplete. */
  private _isSavedQuery = false;
}
