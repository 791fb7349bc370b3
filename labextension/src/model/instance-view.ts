import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';
import type { NamePlace } from './difference';
import type { Schema } from './form-schema';
import { titleOf } from './instance-schema';
import { partsOf } from './pointer';
import { isPlaceholder, withoutSecrets } from './secrets';
import type { SecretPlaces } from './secrets';

/** What stands for secrets where versions are compared. */
export interface IViewWords {
  displayName: string;
  kept: string;
}

function isObject(value: unknown): value is ReadonlyJSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Secrets by words, and lines as one text. */
function readable(value: ReadonlyJSONValue | undefined, words: IViewWords): unknown {
  if (isPlaceholder(value)) {
    return words.kept;
  }
  if (Array.isArray(value)) {
    const items = value.map((item: ReadonlyJSONValue) => readable(item, words));
    return items.every(item => typeof item === 'string') ? items.join('\n') : items;
  }
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, readable(inner, words)]))
    : value;
}

/** The titles of the properties of `metadata`, by name. */
function titlesOf(schema: Schema): ReadonlyJSONObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const described = isObject(properties['metadata']) ? properties['metadata']['properties'] : {};
  return isObject(described) ? described : {};
}

/** What people call places of an instance: by the titles of its schema, and nothing that the record keeps for itself. */
export function placeNames(schema: Schema, words: { displayName: string }): NamePlace {
  const titles = titlesOf(schema);
  return path => {
    const [first = '', name, ...further] = partsOf(path);
    if (first.startsWith('$') || first === 'schema_name') {
      return null;
    }
    if (first === 'display_name') {
      return words.displayName;
    }
    // A person counts lines and items from one; `-` is some place in a list.
    const rest = further
      .filter(step => step !== '-')
      .map(step => (/^\d+$/.test(step) ? String(Number(step) + 1) : step));
    return first === 'metadata' && name !== undefined
      ? [titleOf(titles[name], name), ...rest].join(' › ')
      : partsOf(path).join(' › ');
  };
}

/** A version of an instance as people compare it: by the titles of its properties, without any secret. */
export function comparable(
  document: ReadonlyJSONObject,
  form: Schema,
  places: SecretPlaces,
  words: IViewWords
): Record<string, unknown> {
  const open = withoutSecrets(document, {}, places);
  const { display_name, metadata } = open;
  const titles = titlesOf(form);
  const shown: Record<string, unknown> = { [words.displayName]: display_name };
  for (const [name, value] of Object.entries(isObject(metadata) ? metadata : {})) {
    const isTags = name === 'tags' && Array.isArray(value);
    shown[isTags ? name : titleOf(titles[name], name)] = isTags ? value : readable(value, words);
  }
  return shown;
}
