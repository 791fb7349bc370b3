import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { SearchResults } from '../../generated/api';
import type { ICatalog } from '../../tokens';
import type { Ancestor } from './hierarchy';
import { createParentMember, readAncestors } from './hierarchy';
import { quoteTerm } from './query-terms';
import { toTypedQuery } from './query';

/** The kinds of entities that metadata refers to: each has a page of its own. */
export type ReferenceKind = 'term' | 'domain' | 'owner';

/** The types of entities of each kind. */
export const TYPES: Readonly<Record<ReferenceKind, readonly string[]>> = {
  term: ['glossaryTerm'],
  domain: ['domain'],
  owner: ['corpuser', 'corpGroup']
};

/** The types of entities that the page of each kind lists: groups of terms, too. */
export const LISTED_TYPES: Readonly<Record<ReferenceKind, readonly string[]>> = {
  ...TYPES,
  term: ['glossaryTerm', 'glossaryNode']
};

/** The kinds with a hierarchy. */
const IN_HIERARCHY: ReadonlySet<ReferenceKind> = new Set<ReferenceKind>(['term', 'domain']);

/** The keys under which search finds what carries an entity of each kind. */
const KEYS: Readonly<Record<ReferenceKind, string>> = { term: 'terms', domain: 'domain', owner: 'owner' };

/** An entry of a vocabulary: a described entity, or a value that is used without a description. */
export interface IEntry {
  /** The key of the URN, or the value itself. */
  key: string;
  name: string;
  /** Null for a value that no entity describes. */
  urn: string | null;
  type: string;
  description: string;
  /** The number of entities that carry it. */
  carriers: number;
  /** What is above it in its hierarchy, the top first. */
  ancestors: readonly Ancestor[];
}

/** Where to continue the lists of a page of entries; an empty list of cursors is the end. */
export interface IEntryPage {
  entries: readonly IEntry[];
  /** The cursors by entity type, and of the values under the empty key. */
  cursors: Readonly<Record<string, string>>;
}

/** A new entity of a vocabulary. */
export interface INewEntry {
  type: string;
  name: string;
  description: string;
  /** The URN of what is above it in its hierarchy; null at the top. */
  parent: string | null;
}

const PAGE = 100;
const VALUES_PAGE = 500;

/** Returns the query for what carries an entry. */
export function toCarrierQuery(kind: ReferenceKind, key: string): string {
  return quoteTerm(`${KEYS[kind]}:${key}`);
}

function getKey(urn: string): string {
  return urn.replace(/^urn:li:\w+:/, '');
}

function toEntry(hit: SearchResults['hits'][number]): IEntry {
  const { urn, type, name, displayName, description } = hit;
  return { key: getKey(urn), name: displayName ?? name, urn, type, description, carriers: 0, ancestors: [] };
}

/** Adds the numbers of carriers, and the values that no entity describes. */
function addValues(
  described: readonly IEntry[],
  values: readonly { value: string; entities: number }[]
): readonly IEntry[] {
  const counts = new Map(values.map(({ value, entities }) => [value, entities]));
  const known = new Set(described.map(({ key }) => key));
  const used = [...counts].filter(([value]) => !known.has(value));
  return [
    ...described.map(entry => ({ ...entry, carriers: counts.get(entry.key) ?? entry.carriers })),
    ...used.map(([value, entities]) => ({
      key: value,
      name: value,
      urn: null,
      type: '',
      description: '',
      carriers: entities,
      ancestors: []
    }))
  ];
}

/** Compares entries by their paths, so that each follows its parent. */
function compareByPath(left: IEntry, right: IEntry): number {
  const [first, second] = [left, right].map(({ ancestors, name }) => [...ancestors.map(above => above.name), name]);
  for (const [index, name] of (first ?? []).entries()) {
    const order = name.localeCompare(second?.[index] ?? '');
    if (order !== 0) {
      return order;
    }
  }
  return (first?.length ?? 0) - (second?.length ?? 0);
}

/** Joins pages of entries: a value of one page may be described in the next. */
export function joinEntries(...pages: readonly (readonly IEntry[])[]): readonly IEntry[] {
  const entries = new Map<string, IEntry>();
  for (const entry of pages.flat()) {
    const other = entries.get(entry.key);
    const described = entry.urn === null ? (other ?? entry) : entry;
    entries.set(entry.key, { ...described, carriers: Math.max(entry.carriers, other?.carriers ?? 0) });
  }
  return [...entries.values()].sort(compareByPath);
}

/** Reads a page of the entries of a kind that match a text. Rejects with a `CatalogProblem`. */
export async function readEntries(
  catalog: ICatalog,
  kind: ReferenceKind,
  text: string,
  cursors: Readonly<Record<string, string>> | null,
  signal?: AbortSignal
): Promise<IEntryPage> {
  const q = toTypedQuery(text) || '*';
  const next: Record<string, string> = {};
  const readType = async (type: string): Promise<readonly IEntry[]> => {
    if (cursors !== null && cursors[type] === undefined) {
      return [];
    }
    const query = { q, type, sort: 'name', facets: 'type', limit: PAGE, cursor: cursors?.[type] } as const;
    const { hits, cursor } = await catalog.call('search', query, { signal });
    if (cursor !== null) {
      next[type] = cursor;
    }
    return hits.map(toEntry);
  };
  const readValues = async (): Promise<readonly { value: string; entities: number }[]> => {
    if (cursors !== null && cursors[''] === undefined) {
      return [];
    }
    const query = { key: KEYS[kind], prefix: text.trim(), limit: VALUES_PAGE, cursor: cursors?.[''] };
    const { values, cursor } = await catalog.call('listValues', query, { signal });
    if (cursor !== null) {
      next[''] = cursor;
    }
    return values;
  };
  const [values, ...described] = await Promise.all([readValues(), ...LISTED_TYPES[kind].map(readType)]);
  const entries = addValues(described.flat(), values);
  if (!IN_HIERARCHY.has(kind)) {
    return { entries, cursors: next };
  }
  const urns = entries.flatMap(({ urn }) => (urn === null ? [] : [urn]));
  const ancestors = await readAncestors(catalog, urns, signal);
  const placed = entries.map(entry => ({ ...entry, ancestors: ancestors.get(entry.urn ?? '') ?? [] }));
  return { entries: placed, cursors: next };
}

/** Returns the key of the URN of a new entity: its name in letters, digits, `_`, `.` and `-`. */
export function createKey(name: string): string {
  return name
    .trim()
    .replace(/[^\p{L}\p{N}_.-]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}

/** Returns the aspect that names and describes an entity of a type, and its value. */
function createInfo({ type, name, description, parent }: INewEntry): readonly [string, ReadonlyJSONObject] {
  const above = createParentMember(type, parent);
  switch (type) {
    case 'glossaryTerm':
      return ['glossaryTermInfo', { name, definition: description, termSource: 'INTERNAL', ...above }];
    case 'glossaryNode':
      return ['glossaryNodeInfo', { name, definition: description, ...above }];
    case 'domain':
      return ['domainProperties', { name, ...(description === '' ? {} : { description }), ...above }];
    case 'corpGroup':
      return ['corpGroupInfo', { displayName: name, description, admins: [], members: [], groups: [] }];
    default:
      return ['corpUserInfo', { displayName: name, active: true }];
  }
}

/** The member of an aspect with the description of an entity of each type. */
const DESCRIPTIONS: Readonly<Record<string, readonly [string, string]>> = {
  glossaryTerm: ['glossaryTermInfo', 'definition'],
  glossaryNode: ['glossaryNodeInfo', 'definition'],
  domain: ['domainProperties', 'description'],
  corpGroup: ['corpGroupInfo', 'description'],
  corpuser: ['corpUserEditableInfo', 'aboutMe']
};

/** Writes the description of an entity; other members of its aspect stay. Rejects with a `CatalogProblem`. */
export async function describeEntry(catalog: ICatalog, urn: string, type: string, text: string): Promise<void> {
  const [aspect, member] = DESCRIPTIONS[type] ?? [];
  if (aspect !== undefined && member !== undefined) {
    await catalog.call(
      'patchAspect',
      { urn, aspect },
      {
        body: [{ op: 'add', path: `/${member}`, value: text }]
      }
    );
  }
}

/** Creates an entity that metadata can refer to; resolves to its URN. Rejects if there is one with this key. */
export async function createEntry(catalog: ICatalog, entry: INewEntry): Promise<string> {
  const urn = `urn:li:${entry.type}:${createKey(entry.name)}`;
  const [aspect, value] = createInfo(entry);
  await catalog.call('writeAspect', { urn, aspect, 'If-None-Match': '*' }, { body: value });
  if (entry.type === 'corpuser' && entry.description !== '') {
    await describeEntry(catalog, urn, entry.type, entry.description);
  }
  return urn;
}
