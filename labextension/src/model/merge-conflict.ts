import { JSONExt } from '@lumino/coreutils';
import type { ReadonlyJSONValue } from '@lumino/coreutils';
import { formatValue } from './difference';
import { shortenUrn } from './urns';

/** A key whose values differ in two versions; undefined if a version does not have it. */
interface IDifferingValue {
  key: string;
  mine: string | undefined;
  theirs: string | undefined;
}

/** The differences between two versions of an aspect. */
export interface IConflict {
  pairs: IDifferingValue[];
  /** Tags that only one of the versions has. */
  tags: { mine: string[]; theirs: string[] };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Lists the members of a value; those of `properties` and `customProperties` are included as own members. */
export function flattenValues(value: Record<string, unknown>): (readonly [string, unknown])[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'tags' && Array.isArray(inner)) {
      return [];
    }
    return (key === 'properties' || key === 'customProperties') && isObject(inner)
      ? Object.entries(inner)
      : [[key, inner] as const];
  });
}

/** Lists the tags of a value as text. */
export function listTags(value: Record<string, unknown>): string[] {
  const tags: unknown[] = Array.isArray(value['tags']) ? value['tags'] : [];
  // In the format of DataHub, a tag is a reference.
  return tags.map(tag => (isObject(tag) && typeof tag['tag'] === 'string' ? shortenUrn(tag['tag']) : formatValue(tag)));
}

function isEqual(left: unknown, right: unknown): boolean {
  return JSONExt.deepEqual(left as ReadonlyJSONValue, right as ReadonlyJSONValue);
}

/** Compares two versions, omitting equal members. */
export function compareVersions(mine: object, theirs: object): IConflict {
  const [myValue, theirValue] = [mine, theirs] as Record<string, unknown>[] as [
    Record<string, unknown>,
    Record<string, unknown>
  ];
  const myPairs = new Map(flattenValues(myValue));
  const theirPairs = new Map(flattenValues(theirValue));
  const format = (value: unknown): string | undefined => (value === undefined ? undefined : formatValue(value));
  const keys = [...new Set([...myPairs.keys(), ...theirPairs.keys()])].filter(
    key => !myPairs.has(key) || !theirPairs.has(key) || !isEqual(myPairs.get(key), theirPairs.get(key))
  );
  const [myTags, theirTags] = [listTags(myValue), listTags(theirValue)];
  return {
    pairs: keys.map(key => ({ key, mine: format(myPairs.get(key)), theirs: format(theirPairs.get(key)) })),
    tags: {
      mine: myTags.filter(tag => !theirTags.includes(tag)),
      theirs: theirTags.filter(tag => !myTags.includes(tag))
    }
  };
}
