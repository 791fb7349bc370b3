import type { IDisposable } from '@lumino/disposable';
import type { Change, SearchResults } from '../../generated/api';
import type { ICatalog, IChangeFeed, IFollowedSearches, ISearch } from '../../tokens';
import { getSearchId } from './followed-searches';

type Hit = SearchResults['hits'][number];

/** New hits of a followed search, the latest first. */
export interface INewHits {
  search: ISearch;
  hits: readonly Hit[];
}

const PAGE = 100;
/** Of searches with more hits, only entities that are created later are new. */
const MAX_HITS = 1000;
/** Changes that arrive within this time are one reason to search again. */
const PAUSE_MS = 1000;

/** What is known of a followed search. */
interface IKnownHits {
  urns: Set<string>;
  /** The time of the latest change of a hit, if not all hits are known; else null. */
  since: string | null;
}

/** Whether a change may let an entity match a search. */
function mayMatch({ operation }: Change): boolean {
  return operation !== 'run-start' && operation !== 'run-end' && operation !== 'access' && operation !== 'delete';
}

/**
 * Notifies of new hits of followed searches.
 *
 * The hits at the start are known. After changes of the catalog, each search reads its latest changed hits until it
 * finds known ones. The change feed is only open while a search is followed.
 */
export class SearchNotifier implements IDisposable {
  constructor(
    private _catalog: ICatalog,
    private _feed: IChangeFeed,
    private _followed: IFollowedSearches,
    private _notify: (hits: INewHits) => void,
    private _pauseMs = PAUSE_MS
  ) {
    _followed.changed.connect(this._update, this);
    this._update();
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._followed.changed.disconnect(this._update, this);
      this._unsubscribe();
      this._known.clear();
    }
  }

  /** Starts with searches that are followed now, and stops with others. */
  private _update(): void {
    const searches = new Map(this._followed.state.map(search => [getSearchId(search), search]));
    [...this._known.keys()].filter(id => !searches.has(id)).forEach(id => this._known.delete(id));
    for (const [id, search] of searches) {
      if (!this._known.has(id)) {
        this._known.set(id, this._readKnownHits(search));
      }
    }
    if (searches.size === 0) {
      this._unsubscribe();
    } else if (this._subscription === null) {
      this._subscription = this._feed.keepOpen();
      this._feed.changed.connect(this._onChanged, this);
      this._feed.missed.connect(this._scheduleSearches, this);
    }
  }

  private _unsubscribe(): void {
    window.clearTimeout(this._timer);
    this._feed.changed.disconnect(this._onChanged, this);
    this._feed.missed.disconnect(this._scheduleSearches, this);
    this._subscription?.dispose();
    this._subscription = null;
  }

  private _onChanged(_: IChangeFeed, changes: readonly Change[]): void {
    if (changes.some(mayMatch)) {
      this._scheduleSearches();
    }
  }

  private _scheduleSearches(): void {
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => {
      this._followed.state.forEach(search => void this._search(search));
    }, this._pauseMs);
  }

  private async _search(search: ISearch): Promise<void> {
    const id = getSearchId(search);
    const known = await this._known.get(id);
    if (!known) {
      // The hits at the start could not be read: those of now are the known ones.
      this._known.set(id, this._readKnownHits(search));
      return;
    }
    const hits = await this._readHits(search, known.urns).catch(() => []);
    hits.forEach(({ urn }) => known.urns.add(urn));
    const { since } = known;
    const added = hits.filter(({ created }) => since === null || created.time > since);
    if (added.length > 0 && this._known.has(id)) {
      this._notify({ search, hits: added });
    }
  }

  /** Reads the hits of a search at the start; null if they cannot be read. */
  private async _readKnownHits(search: ISearch): Promise<IKnownHits | null> {
    try {
      const hits = await this._readHits(search, new Set());
      return {
        urns: new Set(hits.map(({ urn }) => urn)),
        since: hits.length < MAX_HITS ? null : (hits[0]?.updated.time ?? null)
      };
    } catch {
      return null;
    }
  }

  /** Reads the latest changed hits until a page has a known one. */
  private async _readHits({ query, filters }: ISearch, known: ReadonlySet<string>): Promise<Hit[]> {
    const found: Hit[] = [];
    let cursor: string | undefined;
    do {
      const page = await this._catalog.call('search', {
        ...{ q: query, ...filters, sort: 'updated', facets: 'type' },
        ...{ limit: PAGE, cursor }
      });
      const added = page.hits.filter(({ urn }) => !known.has(urn));
      found.push(...added);
      cursor = added.length === page.hits.length ? (page.cursor ?? undefined) : undefined;
    } while (cursor !== undefined && found.length < MAX_HITS);
    return found;
  }

  private _known = new Map<string, Promise<IKnownHits | null>>();
  private _subscription: IDisposable | null = null;
  private _timer = 0;
  private _isDisposed = false;
}
