import type { Keys, SearchResults } from '../generated/api';

type Hit = SearchResults['hits'][number];

/** A metadata key as the catalog lists it. */
export type Key = Keys['keys'][number];

/** A key that the typed text led to: by its own name, or by a value found under it. */
export interface IFoundKey {
  key: string;
  kind: Key['kind'];
  scope: Key['scope'];
  /** Entities carrying it; undefined when only seen among the hits. */
  entities: number | undefined;
  /** Values in which the typed text was found, in the order of the hits. */
  values: string[];
}

/** A range of times at the end: a prefix of one matches nothing. */
const RANGE = /(^|\s)(creation-time|last-update-time)[:=]([<>]\S*|\S*\.\.\S*)$/i;

/** The query for what has been typed so far: the last word may still be growing. */
export function typedQuery(text: string): string {
  const trimmed = text.trim();
  const inQuotes = trimmed.split('"').length % 2 === 0;
  const grown = trimmed === '' || inQuotes || /["*]$/.test(trimmed) || RANGE.test(trimmed);
  return grown ? trimmed : `${trimmed}*`;
}

/** The prefix to look for among the keys: the last word, unless it already names a key and a value. */
export function keyPrefix(text: string): string {
  const word = text.trim().split(/\s+/).at(-1) ?? '';
  return /[:="*]/.test(word) ? '' : word;
}

/** The query for everything that carries a key (spec SEARCH-5). */
export function carrierQuery(key: Pick<Key, 'key' | 'kind'>): string {
  const special = { tag: 'tags', field: 'schema', property: '' }[key.kind];
  return special === '' || special === key.key ? `${key.key}:*` : `${special}:${key.key}`;
}

function kindOf(matchKey: string): Key['kind'] {
  return matchKey === 'tags' ? 'tag' : matchKey === 'schema' ? 'field' : 'property';
}

function fromMatch(match: Hit['matches'][number]): IFoundKey {
  const kind = kindOf(match.key);
  const key = kind === 'property' ? match.key : (match.value.split(':')[0] ?? match.value);
  return { key, kind, scope: match.scope, entities: undefined, values: kind === 'property' ? [match.value] : [] };
}

/** Keys to show for a typed text: those named like it first, then those whose values carry it. */
export function foundKeys(named: readonly Key[], hits: readonly Hit[]): IFoundKey[] {
  const found = new Map<string, IFoundKey>();
  const id = (key: Pick<Key, 'key' | 'kind' | 'scope'>): string => `${key.scope} ${key.kind} ${key.key}`;
  for (const key of named) {
    found.set(id(key), { ...key, values: [] });
  }
  const said = hits
    .flatMap(hit => hit.matches)
    .filter(match => match.matchedOn === 'key' || match.matchedOn === 'value');
  for (const match of said) {
    const next = fromMatch(match);
    const have = found.get(id(next));
    if (!have) {
      found.set(id(next), next);
    } else if (next.values[0] !== undefined && !have.values.includes(next.values[0])) {
      have.values.push(next.values[0]);
    }
  }
  return [...found.values()];
}
