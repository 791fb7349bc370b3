import type { Keys } from '../../generated/api';

/** A metadata key with its number of entities. */
export type Key = Keys['keys'][number];

/** A time range at the end of a query, to which no `*` can be appended. */
const TIME_RANGE = /(^|\s)(creation-time|last-update-time)[:=]([<>]\S*|\S*\.\.\S*)$/i;

/** Converts typed text to a query: the last word may be incomplete. */
export function toTypedQuery(text: string): string {
  const trimmed = text.trim();
  const inQuotes = trimmed.split('"').length % 2 === 0;
  const isComplete = trimmed === '' || inQuotes || /["*]$/.test(trimmed) || TIME_RANGE.test(trimmed);
  return isComplete ? trimmed : `${trimmed}*`;
}

/** Returns the query for all entities with a key (spec SEARCH-5). */
export function toKeyQuery(key: Pick<Key, 'key' | 'kind'>): string {
  const special = { tag: 'tags', field: 'schema', property: '' }[key.kind];
  const query = special === '' || special === key.key ? `${key.key}:*` : `${special}:${key.key}`;
  return /\s/.test(query) ? `"${query}"` : query;
}
