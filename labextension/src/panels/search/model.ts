import type { Change, SearchResults } from '../../generated/api';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import { toProblem, Superseded } from '../../model/problem';
import { toTypedQuery } from '../../model/search/query';
import type { ReadPermission } from '../../model/permissions';
import { readPermission } from '../../model/permissions';
import type { IQueryTerm } from '../../model/search/query-terms';
import { removeTerm } from '../../model/search/query-terms';
import type { IRecentEntity } from '../../model/search/recent';
import { listRecentEntities } from '../../model/search/recent';
import type { ISavedSearch, SavedSearchStore } from '../../model/search/saved-searches';
import { CompletionModel } from '../../model/search/completion';
import type { IOperations } from '../../generated/operations';
import { DisplayNames } from '../../model/display-names';
import { PlainTextConverter } from '../../model/plain-text';
import { toPlainHits } from '../../model/search/plain-hits';
import type { ICatalog, IChangeFeed, IPage, ISearch, ISearchFilters } from '../../tokens';

type Hit = SearchResults['hits'][number];

const PAGE = 50;
const RECENT_CHANGES = 300;
const TYPING_PAUSE_MS = 150;
const CHANGE_PAUSE_MS = 300;

/** The order of hits. */
export type SearchSort = NonNullable<IOperations['search']['parameters']['sort']>;

/** The state of the search panel. */
export interface ISearchState extends ILiveState {
  text: string;
  /** Whether there is an answer to the current query. */
  answered: boolean;
  hits: readonly Hit[];
  recent: readonly IRecentEntity[];
  total: number;
  isLowerBound: boolean;
  cursor: string | null;
  filters: ISearchFilters;
  sort: SearchSort;
  /** Queries for similar names, if nothing was found. */
  suggestions: readonly string[];
  facets: SearchResults['facets'];
  labels: SearchResults['labels'];
  saved: readonly ISavedSearch[];
  /** The URNs of the selected hits. */
  selected: ReadonlySet<string>;
  /** How much the user may read; null while something is shown. */
  permission: ReadPermission | null;
}

type Answer = Partial<ISearchState>;

/** Clears the answer to a previous query when another query fails. */
const NO_ANSWER = {
  answered: false,
  hits: [],
  recent: [],
  total: 0,
  isLowerBound: false,
  cursor: null,
  suggestions: [],
  facets: {},
  labels: {}
} satisfies Answer;

const EMPTY: ISearchState = {
  ...NO_ANSWER,
  text: '',
  busy: false,
  problem: null,
  filters: {},
  sort: 'relevance',
  saved: [],
  selected: new Set(),
  permission: null
};

function toAnswer(answer: SearchResults): Answer {
  const { hits, total, isLowerBound, cursor, facets, labels, suggestions } = answer;
  return { hits, total, isLowerBound, cursor, facets, labels, suggestions, recent: [] };
}

/** The model of the search panel: the query and its answer. */
export class SearchModel extends LiveModel<ISearchState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    private _saved: SavedSearchStore | null = null,
    private _texts: PlainTextConverter = new PlainTextConverter(null)
  ) {
    super(feed, EMPTY);
    this.names = new DisplayNames(_catalog, feed);
    this.completion = new CompletionModel(_catalog);
  }

  /** The completions of the search box. */
  readonly completion: CompletionModel;

  /** The names of the entities of the sections before a search. */
  readonly names: DisplayNames;

  override dispose(): void {
    this.completion.dispose();
    this.names.dispose();
    super.dispose();
  }

  /** Whether searches can be saved. */
  get canSave(): boolean {
    return this._saved !== null;
  }

  /** The current search. */
  get current(): ISearch {
    return { query: this._getQuery(), filters: this.state.filters };
  }

  /** Sets the query that is being typed; searches after a pause in typing. */
  setText(text: string): void {
    this._isComplete = false;
    // The answer to an earlier text would replace the hits until the next one.
    this.cancelRequest();
    this.setState(text.trim() === '' ? { text, filters: {} } : { text });
    this.scheduleRefresh(TYPING_PAUSE_MS);
  }

  /** Searches for a complete query, in which no word is a prefix. */
  async search(text: string, filters: ISearchFilters = {}): Promise<void> {
    this._isComplete = true;
    this.completion.clear();
    this.setState({ text, filters: text.trim() === '' ? {} : filters });
    await this.refresh();
  }

  /** Removes a term from the query; without other terms, everything that the filters match is found. */
  removeTerm(term: IQueryTerm): void {
    const rest = removeTerm(this.state.text, term);
    this.setState({ text: rest === '' && Object.keys(this.state.filters).length > 0 ? '*' : rest });
    void this.refresh();
  }

  /** Sets a filter, or removes it. */
  toggleFilter(name: string, value: string): void {
    const { [name]: picked, ...others } = this.state.filters;
    this.setState({ filters: picked === value ? others : { ...others, [name]: value } });
    void this.refresh();
  }

  setSort(sort: SearchSort): void {
    this.setState({ sort });
    void this.refresh();
  }

  /** Saves the current search. */
  save(displayName: string): Promise<void> {
    const { current } = this;
    return this._withSavedSearches(async saved => saved.save(displayName, current));
  }

  /** Opens a saved search. */
  openSaved(savedSearch: ISavedSearch): Promise<void> {
    return this._withSavedSearches(async saved => {
      const { query, filters } = await saved.read(savedSearch);
      await this.search(query, filters);
    });
  }

  /** Deletes a saved search. */
  deleteSaved(savedSearch: ISavedSearch): Promise<void> {
    return this._withSavedSearches(async saved => {
      await saved.remove(savedSearch);
      await this.refresh();
    });
  }

  /** Selects a hit, or deselects it. */
  toggleSelected(urn: string): void {
    const selected = new Set(this.state.selected);
    if (!selected.delete(urn)) {
      selected.add(urn);
    }
    this.setState({ selected });
  }

  /** Selects the hits from one to another, by their indices. */
  selectRange(from: number, to: number): void {
    const range = this.state.hits.slice(Math.min(from, to), Math.max(from, to) + 1);
    this.setState({ selected: new Set([...this.state.selected, ...range.map(({ urn }) => urn)]) });
  }

  /** Selects all loaded hits. */
  selectAll(): void {
    this.setState({ selected: new Set(this.state.hits.map(({ urn }) => urn)) });
  }

  clearSelection(): void {
    this.setState({ selected: new Set() });
  }

  /** Adds the next page of hits. */
  async loadMore(): Promise<void> {
    const { cursor, hits, busy } = this.state;
    if (cursor === null || busy) {
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
    const query = JSON.stringify([this._getQuery(), this.state.filters, this.state.sort]);
    try {
      const answer = await this._loadAnswer(signal);
      const isEmpty = (answer.hits ?? []).length + (answer.recent ?? []).length === 0;
      const permission = isEmpty ? await readPermission(this._catalog, signal) : null;
      const isSame = this._answeredQuery === query;
      this._answeredQuery = query;
      return { ...answer, permission, answered: true, ...(isSame ? {} : { selected: new Set<string>() }) };
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
    return this._isComplete ? this.state.text : toTypedQuery(this.state.text);
  }

  private async _search(page: IPage, signal: AbortSignal | undefined): Promise<SearchResults> {
    const results = await this._catalog.call(
      'search',
      { q: this._getQuery(), ...this.state.filters, sort: this.state.sort, ...page, limit: PAGE },
      { signal }
    );
    return { ...results, hits: await toPlainHits(results.hits, this._texts) };
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
    return this._search({}, signal).then(toAnswer);
  }

  /** Without a query: recent changes and saved searches. */
  private async _loadAll(signal: AbortSignal): Promise<Answer> {
    const [head, saved] = await Promise.all([
      this._catalog.call('readChanges', { after: 0, limit: 0 }, { signal }),
      this._saved?.list(signal) ?? []
    ]);
    const after = Math.max(0, head.cursor - RECENT_CHANGES);
    const log = await this._catalog.call('readChanges', { after, limit: RECENT_CHANGES }, { signal });
    return { ...NO_ANSWER, recent: listRecentEntities(log.changes), saved };
  }

  /** The query of the current answer. */
  private _answeredQuery = '';
  /** Whether the text is a complete query, such as a saved one, so that no word is a prefix. */
  private _isComplete = false;
}
