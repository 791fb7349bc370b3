import { JSONExt } from '@lumino/coreutils';
import type { ReadonlyJSONValue } from '@lumino/coreutils';
import { shown } from './difference';
import { shortUrn } from './urns';

/** A key at which two versions of a value differ; undefined where a version has none. */
interface IClash {
  key: string;
  mine: string | undefined;
  theirs: string | undefined;
}

/** What is different between two versions of the value of an aspect. */
export interface IClashes {
  pairs: IClash[];
  /** Tags that only one of the two has. */
  tags: { mine: string[]; theirs: string[] };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The pairs of a value: what lies in `properties` and its like is shown as its own. */
export function pairsOf(value: Record<string, unknown>): (readonly [string, unknown])[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'tags' && Array.isArray(inner)) {
      return [];
    }
    return (key === 'properties' || key === 'customProperties') && isObject(inner)
      ? Object.entries(inner)
      : [[key, inner] as const];
  });
}

/** The tags of a value, as text. */
export function tagsOf(value: Record<string, unknown>): string[] {
  const tags: unknown[] = Array.isArray(value['tags']) ? value['tags'] : [];
  // In DataHub's shape a tag is a reference.
  return tags.map(tag => (isObject(tag) && typeof tag['tag'] === 'string' ? shortUrn(tag['tag']) : shown(tag)));
}

function same(one: unknown, other: unknown): boolean {
  return JSONExt.deepEqual(one as ReadonlyJSONValue, other as ReadonlyJSONValue);
}

/** Compares two versions; what both have alike is left out. */
export function clashes(mine: object, theirs: object): IClashes {
  const [one, other] = [mine, theirs] as Record<string, unknown>[] as [
    Record<string, unknown>,
    Record<string, unknown>
  ];
  const ofMine = new Map(pairsOf(one));
  const ofTheirs = new Map(pairsOf(other));
  const text = (value: unknown): string | undefined => (value === undefined ? undefined : shown(value));
  const keys = [...new Set([...ofMine.keys(), ...ofTheirs.keys()])].filter(
    key => !ofMine.has(key) || !ofTheirs.has(key) || !same(ofMine.get(key), ofTheirs.get(key))
  );
  const [tags, otherTags] = [tagsOf(one), tagsOf(other)];
  return {
    pairs: keys.map(key => ({ key, mine: text(ofMine.get(key)), theirs: text(ofTheirs.get(key)) })),
    tags: { mine: tags.filter(tag => !otherTags.includes(tag)), theirs: otherTags.filter(tag => !tags.includes(tag)) }
  };
}
