import { JSONExt } from '@lumino/coreutils';
import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';
import { indexByIdentity } from '../difference';
import { appendStep, splitPointer } from '../schemas/pointer';

/** Whose value of a field to keep. */
export type Winner = 'mine' | 'theirs';

/** A field that two users changed to different values; undefined if a version does not have it. */
export interface IFieldConflict {
  /** A JSON Pointer; an item of a list is named by its identity. */
  pointer: string;
  mine: unknown;
  theirs: unknown;
}

/** Two versions, merged. */
export interface IMerge {
  value: ReadonlyJSONObject;
  conflicts: readonly IFieldConflict[];
}

type Members = ReadonlyMap<string, unknown>;

/** Lists of words, in which the order means nothing. */
const SETS = new Set(['tags', 'domains', 'terms']);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEqual(left: unknown, right: unknown): boolean {
  if (left === undefined || right === undefined) {
    return left === right;
  }
  return JSONExt.deepEqual(left as ReadonlyJSONValue, right as ReadonlyJSONValue);
}

function toMembers(value: unknown): Members {
  return new Map(isObject(value) ? Object.entries(value) : []);
}

/** Merges lists of words: what either user added is added, and what either removed is removed. */
function mergeSets(base: readonly unknown[], mine: readonly unknown[], theirs: readonly unknown[]): unknown[] {
  const kept = theirs.filter(item => mine.includes(item) || !base.includes(item));
  return [...kept, ...mine.filter(item => !base.includes(item) && !theirs.includes(item))];
}

/** The part of a list that was replaced: its bounds in the old list, and the new items. */
interface IRegion {
  start: number;
  end: number;
  items: readonly unknown[];
}

function findRegion(base: readonly unknown[], next: readonly unknown[]): IRegion {
  const shorter = Math.min(base.length, next.length);
  let start = 0;
  while (start < shorter && isEqual(base[start], next[start])) {
    start++;
  }
  let rest = 0;
  while (rest < shorter - start && isEqual(base.at(-1 - rest), next.at(-1 - rest))) {
    rest++;
  }
  return { start, end: base.length - rest, items: next.slice(start, next.length - rest) };
}

/** Merges lists whose order matters, such as lines of code; null if the changes touch each other. */
function mergeRegions(
  base: readonly unknown[],
  mine: readonly unknown[],
  theirs: readonly unknown[]
): unknown[] | null {
  const [first, second] = [findRegion(base, mine), findRegion(base, theirs)].sort((a, b) => a.start - b.start);
  if (first === undefined || second === undefined || first.end >= second.start) {
    return null;
  }
  return [
    ...base.slice(0, first.start),
    ...first.items,
    ...base.slice(first.end, second.start),
    ...second.items,
    ...base.slice(second.end)
  ];
}

/** A three-way merge, member by member. */
class Merge {
  readonly conflicts: IFieldConflict[] = [];

  constructor(private _choices: ReadonlyMap<string, Winner>) {}

  mergeValues(pointer: string, base: unknown, mine: unknown, theirs: unknown): unknown {
    if (isEqual(mine, theirs) || isEqual(theirs, base)) {
      return mine;
    }
    if (isEqual(mine, base)) {
      return theirs;
    }
    if (isObject(mine) && isObject(theirs)) {
      return Object.fromEntries(this._mergeMembers(pointer, toMembers(base), toMembers(mine), toMembers(theirs)));
    }
    if (Array.isArray(mine) && Array.isArray(theirs)) {
      const merged = this._mergeLists(pointer, Array.isArray(base) ? base : [], mine, theirs);
      return merged ?? this._choose(pointer, mine, theirs);
    }
    return this._choose(pointer, mine, theirs);
  }

  private _mergeMembers(pointer: string, base: Members, mine: Members, theirs: Members): Map<string, unknown> {
    const merged = new Map<string, unknown>();
    for (const name of new Set([...theirs.keys(), ...mine.keys()])) {
      const value = this.mergeValues(appendStep(pointer, name), base.get(name), mine.get(name), theirs.get(name));
      if (value !== undefined) {
        merged.set(name, value);
      }
    }
    return merged;
  }

  private _mergeLists(
    pointer: string,
    base: readonly unknown[],
    mine: readonly unknown[],
    theirs: readonly unknown[]
  ): unknown[] | null {
    const lists = [base, mine, theirs];
    if (!lists.flat().every(isObject)) {
      const isSet = SETS.has(splitPointer(pointer).at(-1) ?? '');
      return isSet ? mergeSets(base, mine, theirs) : mergeRegions(base, mine, theirs);
    }
    const indexes = indexByIdentity(lists)?.map(index => new Map(Object.entries(index)));
    const [baseItems, myItems, theirItems] = indexes ?? [];
    return baseItems && myItems && theirItems
      ? [...this._mergeMembers(pointer, baseItems, myItems, theirItems).values()]
      : mergeRegions(base, mine, theirs);
  }

  private _choose(pointer: string, mine: unknown, theirs: unknown): unknown {
    this.conflicts.push({ pointer, mine, theirs });
    return this._choices.get(pointer) === 'theirs' ? theirs : mine;
  }
}

/**
 * Merges two changes of a document field by field: a field that only one user changed has the value of that user.
 *
 * @param base - The document that both users changed; `{}` if it is unknown.
 * @param choices - Whose value to keep where both changed a field; by default, mine.
 */
export function mergeVersions(
  base: ReadonlyJSONObject,
  mine: ReadonlyJSONObject,
  theirs: ReadonlyJSONObject,
  choices: ReadonlyMap<string, Winner> = new Map()
): IMerge {
  const merge = new Merge(choices);
  const value = merge.mergeValues('', base, mine, theirs) as ReadonlyJSONObject;
  return { value, conflicts: merge.conflicts };
}
