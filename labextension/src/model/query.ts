import type { Keys, SearchResults } from '../generated/api';

type Hit = SearchResults['hits'][number];

/** A metadata key with its number of entities. */
export type Key = Keys['keys'][number];

/** A key that matches the query, by its name or by one of its values. */
export interface IFoundKey {
  key: string;
  kind: Key['kind'];
  scope: Key['scope'];
  /** Number of entities with the key; undefined if it is only known from hits. */
  entities: number | undefined;
  /** Matching values, in the order of the hits. */
  values: string[];
}

/** A time range at the end of a query, to which no `*` can be appended. */
const TIME_RANGE = /(^|\s)(creation-time|last-update-time)[:=]([<>]\S*|\S*\.\.\S*)$/i;

/** Converts typed text to a query: the last word may be incomplete. */
export function toTypedQuery(text: string): string {
  const trimmed = text.trim();
  const inQuotes = trimmed.split('"').length % 2 === 0;
  const isComplete = trimmed === '' || inQuotes || /["*]$/.test(trimmed) || TIME_RANGE.test(trimmed);
  return isComplete ? trimmed : `${trimmed}*`;
}

/** Returns the prefix of keys to list: the last word, unless it is a key with a value. */
export function getKeyPrefix(text: string): string {
  const word = text.trim().split(/\s+/).at(-1) ?? '';
  return /[:="*]/.test(word) ? '' : word;
}

/** Returns the query for all entities with a key (spec SEARCH-5). */
export function toKeyQuery(key: Pick<Key, 'key' | 'kind'>): string {
  const special = { tag: 'tags', field: 'schema', property: '' }[key.kind];
  return special === '' || special === key.key ? `${key.key}:*` : `${special}:${key.key}`;
}

function getKind(matchKey: string): Key['kind'] {
  return matchKey === 'tags' ? 'tag' : matchKey === 'schema' ? 'field' : 'property';
}

function fromMatch(match: Hit['matches'][number]): IFoundKey {
  const kind = getKind(match.key);
  const key = kind === 'property' ? match.key : (match.value.split(':')[0] ?? match.value);
  return { key, kind, scope: match.scope, entities: undefined, values: kind === 'property' ? [match.value] : [] };
}

/** Merges the keys for a typed text: those with a matching name first, then those with a matching value. */
export function mergeKeys(listed: readonly Key[], hits: readonly Hit[]): IFoundKey[] {
  const keys = new Map<string, IFoundKey>();
  const getId = (key: Pick<Key, 'key' | 'kind' | 'scope'>): string => `${key.scope} ${key.kind} ${key.key}`;
  for (const key of listed) {
    keys.set(getId(key), { ...key, values: [] });
  }
  const matches = hits
    .flatMap(hit => hit.matches)
    .filter(match => match.matchedOn === 'key' || match.matchedOn === 'value');
  for (const match of matches) {
    const candidate = fromMatch(match);
    const existing = keys.get(getId(candidate));
    if (!existing) {
      keys.set(getId(candidate), candidate);
    } else if (candidate.values[0] !== undefined && !existing.values.includes(candidate.values[0])) {
      existing.values.push(candidate.values[0]);
    }
  }
  return [...keys.values()];
}
