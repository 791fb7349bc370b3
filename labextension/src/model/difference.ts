import type { ReadonlyJSONValue } from '@lumino/coreutils';
import { JSONExt } from '@lumino/coreutils';
import type { Versions } from '../generated/api';
import { splitPointer, appendStep } from './schemas/pointer';

type Operation = Versions['versions'][number]['diff'][number];

/** A difference between two versions, for display. */
export interface IDifference {
  kind: 'added' | 'removed' | 'changed';
  /** The location, such as `properties › owner`; empty for the whole document. */
  place: string;
  /** The new value; undefined if it was removed. */
  value: string | undefined;
  /** The old value, if known. */
  old?: string;
}

/** Members that are times, in milliseconds since 1970, in our aspects and in those of DataHub. */
const TIME_MEMBER = /(^time|Millis|^lastObserved)$/;
const MIN_TIMESTAMP_MS = Date.UTC(2000, 0);
const MAX_TIMESTAMP_MS = Date.UTC(2100, 0);

function isTimestamp(name: string, value: unknown): value is number {
  return TIME_MEMBER.test(name) && typeof value === 'number' && value >= MIN_TIMESTAMP_MS && value < MAX_TIMESTAMP_MS;
}

/** Formats a JSON value; numbers with the name of a time are formatted as times. */
export function formatValue(value: unknown, name = ''): string {
  if (isTimestamp(name, value)) {
    return new Date(value).toLocaleString();
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Names the location of an operation, without the index of a list item. */
function namePath(path: string): string {
  const parts = splitPointer(path);
  const last = parts.at(-1);
  const steps = last !== undefined && /^(\d+|-)$/.test(last) ? parts.slice(0, -1) : parts;
  return steps.join(' › ');
}

function formatValueAt(path: string, value: unknown): string {
  return formatValue(value, splitPointer(path).at(-1));
}

/** Names a location for users; null omits it. */
export type NamePlace = (path: string) => string | null;

/** Lists the leaves of a value as additions; their locations are JSON Pointers. */
function listLeaves(path: string, value: unknown): IDifference[] {
  if (Array.isArray(value)) {
    const [items] = isPlain(value) ? [] : (indexByIdentity([value]) ?? []);
    if (items) {
      return listLeaves(path, items);
    }
    return value.flatMap((item, index) => listLeaves(appendStep(path, index), item));
  }
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, item]) => listLeaves(appendStep(path, key), item));
  }
  return [{ kind: 'added', place: path, value: formatValueAt(path, value) }];
}

function toDifferences(operation: Operation): IDifference[] {
  switch (operation.op) {
    case 'add':
      return listLeaves(operation.path, operation.value);
    case 'remove':
      return [{ kind: 'removed', place: operation.path, value: undefined }];
    case 'replace':
      return isObject(operation.value) || Array.isArray(operation.value)
        ? listLeaves(operation.path, operation.value).map(leaf => ({ ...leaf, kind: 'changed' as const }))
        : [{ kind: 'changed', place: operation.path, value: formatValueAt(operation.path, operation.value) }];
    case 'move':
    case 'copy':
      return [{ kind: 'changed', place: operation.path, value: undefined }];
    case 'test':
      return [];
  }
}

/** Members that identify an item of a list, regardless of its index. */
const IDENTITIES = ['fieldPath', 'urn', 'tag', 'owner', 'dataset', 'name', 'key', 'id', 'url'];

/** Indexes lists by the member that identifies their items; null if there is none. */
export function indexByIdentity(lists: readonly (readonly unknown[])[]): Record<string, unknown>[] | null {
  const member = IDENTITIES.find(name =>
    lists.every(list => {
      const names = list.map(item => (isObject(item) ? item[name] : undefined));
      return names.every(identity => typeof identity === 'string') && new Set(names).size === list.length;
    })
  );
  if (member === undefined) {
    return null;
  }
  return lists.map(list =>
    Object.fromEntries(list.map(item => [(item as Record<string, string>)[member]!, item] as const))
  );
}

/** Returns the items of one list that another does not contain, counting duplicates. */
function subtractItems(list: readonly unknown[], other: readonly unknown[]): unknown[] {
  const remaining = [...other];
  return list.filter(item => {
    const index = remaining.indexOf(item);
    if (index >= 0) {
      remaining.splice(index, 1);
    }
    return index < 0;
  });
}

function isPlain(list: readonly unknown[]): boolean {
  return list.every(item => typeof item !== 'object' || item === null);
}

/** Compares lists of primitive values; one removed and one added item are a change. */
function comparePlainLists(path: string, before: readonly unknown[], after: readonly unknown[]): IDifference[] {
  const place = appendStep(path, '-');
  const removed = subtractItems(before, after).map(item => formatValueAt(path, item));
  const added = subtractItems(after, before).map(item => formatValueAt(path, item));
  if (removed.length === 1 && added.length === 1) {
    return [{ kind: 'changed', place, old: removed[0]!, value: added[0] }];
  }
  if (removed.length + added.length === 0) {
    // Only the order differs.
    return [{ kind: 'changed', place: path, old: before.map(String).join(', '), value: after.map(String).join(', ') }];
  }
  return [
    ...removed.map(old => ({ kind: 'removed' as const, place, value: undefined, old })),
    ...added.map(value => ({ kind: 'added' as const, place, value }))
  ];
}

function compareValues(path: string, before: unknown, after: unknown): IDifference[] {
  if (JSONExt.deepEqual(before as ReadonlyJSONValue, after as ReadonlyJSONValue)) {
    return [];
  }
  if (isObject(before) && isObject(after)) {
    return compareMembers(path, before, after);
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    if (isPlain(before) && isPlain(after)) {
      return comparePlainLists(path, before, after);
    }
    const [oldItems, newItems] = indexByIdentity([before, after]) ?? [{ ...before }, { ...after }];
    return compareMembers(path, oldItems as Record<string, unknown>, newItems as Record<string, unknown>);
  }
  return [{ kind: 'changed', place: path, old: formatValueAt(path, before), value: formatValueAt(path, after) }];
}

function compareMembers(path: string, before: Record<string, unknown>, after: Record<string, unknown>): IDifference[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap(name => {
    const place = appendStep(path, name);
    if (!(name in before)) {
      return listLeaves(place, after[name]);
    }
    return name in after ? compareValues(place, before[name], after[name]) : listRemovals(place, before[name]);
  });
}

function listRemovals(path: string, value: unknown): IDifference[] {
  return listLeaves(path, value).map(({ place, value: old }) => ({
    kind: 'removed' as const,
    place,
    value: undefined,
    ...(old === undefined ? {} : { old })
  }));
}

function applyNames(differences: readonly IDifference[], name: NamePlace): IDifference[] {
  return differences.flatMap(difference => {
    const place = name(difference.place);
    return place === null ? [] : [{ ...difference, place }];
  });
}

/** Lists the differences between two documents with old values; items of lists are identified by name, not by index. */
export function compareDocuments(before: object, after: object, name: NamePlace = namePath): IDifference[] {
  return applyNames(compareMembers('', { ...before }, { ...after }), name);
}

/** Lists the operations of a JSON Patch as differences. */
export function readPatch(patch: readonly Operation[], name: NamePlace = namePath): IDifference[] {
  return applyNames(patch.flatMap(toDifferences), name);
}
