import type { IFollowedSearches, ISearch } from '../../tokens';
import type { ListSettings } from '../setting-list';
import { SettingList } from '../setting-list';

/** Each of them is searched again after changes of the catalog. */
const MAX_SEARCHES = 20;

function isTextRecord(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null && Object.values(value).every(text => typeof text === 'string');
}

function parseSearch(item: unknown): ISearch | null {
  const { query, filters = {} } = (item ?? {}) as { query?: unknown; filters?: unknown };
  return typeof query === 'string' && isTextRecord(filters) ? { query, filters } : null;
}

/** Returns what distinguishes a search from others: its query, and its filters in any order. */
export function getSearchId({ query, filters }: ISearch): string {
  return JSON.stringify([query, Object.entries(filters).sort(([one], [other]) => (one < other ? -1 : 1))]);
}

/** Returns a search as text: the query, and the values of the filters. */
export function formatSearch({ query, filters }: ISearch): string {
  return [query, ...Object.values(filters)].join(' · ');
}

/** The searches that the user follows. */
export class FollowedSearches extends SettingList<ISearch> implements IFollowedSearches {
  constructor(loading: Promise<ListSettings>) {
    super(loading, 'searches', { parse: parseSearch, getId: getSearchId, max: MAX_SEARCHES });
  }
}
