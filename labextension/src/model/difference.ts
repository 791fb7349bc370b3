import type { ReadonlyJSONValue } from '@lumino/coreutils';
import { JSONExt } from '@lumino/coreutils';
import type { Versions } from '../generated/api';
import { partsOf, stepInto } from './pointer';

type Operation = Versions['versions'][number]['diff'][number];

/** One thing that is different from the version before, in words a person reads. */
export interface IDifference {
  kind: 'added' | 'removed' | 'changed';
  /** Where, such as `properties › owner`; empty for the whole. */
  place: string;
  /** What it is now; undefined when it is gone. */
  value: string | undefined;
  /** What it was before, where that is known. */
  old?: string;
}

/** Members that are moments, in milliseconds since 1970, in our aspects and in DataHub's. */
const MOMENT = /(^time|Millis|^lastObserved)$/;
const FIRST_MOMENT_MS = Date.UTC(2000, 0);
const LAST_MOMENT_MS = Date.UTC(2100, 0);

function isMoment(name: string, value: unknown): value is number {
  return MOMENT.test(name) && typeof value === 'number' && value >= FIRST_MOMENT_MS && value < LAST_MOMENT_MS;
}

/** A JSON value as short text; by the name of its member a number may be a moment, in the reader's own time zone. */
export function shown(value: unknown, name = ''): string {
  if (isMoment(name, value)) {
    return new Date(value).toLocaleString();
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The place of an operation; a position in a list says nothing to a person. */
function placeOf(path: string): string {
  const parts = partsOf(path);
  const last = parts.at(-1);
  const named = last !== undefined && /^(\d+|-)$/.test(last) ? parts.slice(0, -1) : parts;
  return named.join(' › ');
}

function shownAt(path: string, value: unknown): string {
  return shown(value, partsOf(path).at(-1));
}

/** Names a place for people; null leaves out what is there. */
export type NamePlace = (path: string) => string | null;

/** The leaves of a value, each as an addition of its own; their places are paths still. */
function leaves(path: string, value: unknown): IDifference[] {
  if (Array.isArray(value)) {
    const [items] = isPlain(value) ? [] : (byIdentity([value]) ?? []);
    if (items) {
      return leaves(path, items);
    }
    return value.flatMap((item, index) => leaves(stepInto(path, index), item));
  }
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, item]) => leaves(stepInto(path, key), item));
  }
  return [{ kind: 'added', place: path, value: shownAt(path, value) }];
}

function differencesOf(operation: Operation): IDifference[] {
  switch (operation.op) {
    case 'add':
      return leaves(operation.path, operation.value);
    case 'remove':
      return [{ kind: 'removed', place: operation.path, value: undefined }];
    case 'replace':
      return isObject(operation.value) || Array.isArray(operation.value)
        ? leaves(operation.path, operation.value).map(leaf => ({ ...leaf, kind: 'changed' as const }))
        : [{ kind: 'changed', place: operation.path, value: shownAt(operation.path, operation.value) }];
    case 'move':
    case 'copy':
      return [{ kind: 'changed', place: operation.path, value: undefined }];
    case 'test':
      return [];
  }
}

/** Members by which an item of a list is known, whatever its position. */
const IDENTITIES = ['fieldPath', 'urn', 'tag', 'owner', 'dataset', 'name', 'key', 'id', 'url'];

/** The items of two lists by the member that identifies them; null where no member does. */
function byIdentity(lists: readonly (readonly unknown[])[]): Record<string, unknown>[] | null {
  const member = IDENTITIES.find(name =>
    lists.every(list => {
      const names = list.map(item => (isObject(item) ? item[name] : undefined));
      return names.every(one => typeof one === 'string') && new Set(names).size === list.length;
    })
  );
  if (member === undefined) {
    return null;
  }
  return lists.map(list =>
    Object.fromEntries(list.map(item => [(item as Record<string, string>)[member]!, item] as const))
  );
}

/** What one list of texts and numbers has and another has not, by how often. */
function without(list: readonly unknown[], other: readonly unknown[]): unknown[] {
  const left = [...other];
  return list.filter(item => {
    const at = left.indexOf(item);
    if (at >= 0) {
      left.splice(at, 1);
    }
    return at < 0;
  });
}

function isPlain(list: readonly unknown[]): boolean {
  return list.every(item => typeof item !== 'object' || item === null);
}

/** Lists of texts and numbers: what went, what came; one for one is a change. */
function plainLists(path: string, before: readonly unknown[], after: readonly unknown[]): IDifference[] {
  const place = stepInto(path, '-');
  const removed = without(before, after).map(item => shownAt(path, item));
  const added = without(after, before).map(item => shownAt(path, item));
  if (removed.length === 1 && added.length === 1) {
    return [{ kind: 'changed', place, old: removed[0]!, value: added[0] }];
  }
  if (removed.length + added.length === 0) {
    // Only the order is another.
    return [{ kind: 'changed', place: path, old: before.map(String).join(', '), value: after.map(String).join(', ') }];
  }
  return [
    ...removed.map(old => ({ kind: 'removed' as const, place, value: undefined, old })),
    ...added.map(value => ({ kind: 'added' as const, place, value }))
  ];
}

function compared(path: string, before: unknown, after: unknown): IDifference[] {
  if (JSONExt.deepEqual(before as ReadonlyJSONValue, after as ReadonlyJSONValue)) {
    return [];
  }
  if (isObject(before) && isObject(after)) {
    return members(path, before, after);
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    if (isPlain(before) && isPlain(after)) {
      return plainLists(path, before, after);
    }
    const [were, are] = byIdentity([before, after]) ?? [{ ...before }, { ...after }];
    return members(path, were as Record<string, unknown>, are as Record<string, unknown>);
  }
  return [{ kind: 'changed', place: path, old: shownAt(path, before), value: shownAt(path, after) }];
}

function members(path: string, before: Record<string, unknown>, after: Record<string, unknown>): IDifference[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap(name => {
    const place = stepInto(path, name);
    if (!(name in before)) {
      return leaves(place, after[name]);
    }
    return name in after ? compared(place, before[name], after[name]) : removals(place, before[name]);
  });
}

function removals(path: string, value: unknown): IDifference[] {
  return leaves(path, value).map(({ place, value: old }) => ({
    kind: 'removed' as const,
    place,
    value: undefined,
    ...(old === undefined ? {} : { old })
  }));
}

function named(found: readonly IDifference[], name: NamePlace): IDifference[] {
  return found.flatMap(difference => {
    const place = name(difference.place);
    return place === null ? [] : [{ ...difference, place }];
  });
}

/** What differs between two values, with what was there before; items of lists go by their names, not by positions. */
export function comparison(before: object, after: object, name: NamePlace = placeOf): IDifference[] {
  return named(members('', { ...before }, { ...after }), name);
}

/** What a JSON Patch says, as a list to read; places are named by their steps unless they are named otherwise. */
export function differences(patch: readonly Operation[], name: NamePlace = placeOf): IDifference[] {
  return named(patch.flatMap(differencesOf), name);
}
