import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';
import type { NamePlace } from '../difference';
import { formatValue } from '../difference';
import type { Schema } from '../schemas/form-schema';
import { getTitle } from './instance-schema';
import { splitPointer } from '../schemas/pointer';
import { isPlaceholder } from './secrets';

/** The labels for the comparison of versions. */
export interface IViewLabels {
  displayName: string;
  secret: string;
}

function isObject(value: unknown): value is ReadonlyJSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Replaces secrets by a label, and joins lists of lines. */
function toReadable(value: ReadonlyJSONValue | undefined, labels: IViewLabels): unknown {
  if (isPlaceholder(value)) {
    return labels.secret;
  }
  if (Array.isArray(value)) {
    const items = value.map((item: ReadonlyJSONValue) => toReadable(item, labels));
    return items.every(item => typeof item === 'string') ? items.join('\n') : items;
  }
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toReadable(inner, labels)]))
    : value;
}

/** Returns the titles of the properties of `metadata`, by name. */
function listTitles(schema: Schema): ReadonlyJSONObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const described = isObject(properties['metadata']) ? properties['metadata']['properties'] : {};
  return isObject(described) ? described : {};
}

/**
 * Creates a function that names the locations of an instance by the titles of its schema, and omits internal members.
 */
export function createNamePlace(schema: Schema, labels: { displayName: string }): NamePlace {
  const titles = listTitles(schema);
  return path => {
    const [first = '', name, ...otherSteps] = splitPointer(path);
    if (first.startsWith('$') || first === 'schema_name') {
      return null;
    }
    if (first === 'display_name') {
      return labels.displayName;
    }
    // Indexes are displayed starting at one; `-` is any index.
    const positions = otherSteps
      .filter(step => step !== '-')
      .map(step => (/^\d+$/.test(step) ? String(Number(step) + 1) : step));
    return first === 'metadata' && name !== undefined
      ? [getTitle(titles[name], name), ...positions].join(' › ')
      : splitPointer(path).join(' › ');
  };
}

/** Formats a value of an instance for comparison, without secrets. */
export function formatReadable(value: unknown, labels: IViewLabels): string {
  return formatValue(toReadable(value as ReadonlyJSONValue, labels));
}
