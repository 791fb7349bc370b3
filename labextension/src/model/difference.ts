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

/** What a JSON Patch says, as a list to read; places are named by their steps unless they are named otherwise. */
export function differences(patch: readonly Operation[], name: NamePlace = placeOf): IDifference[] {
  return patch.flatMap(differencesOf).flatMap(difference => {
    const place = name(difference.place);
    return place === null ? [] : [{ ...difference, place }];
  });
}
