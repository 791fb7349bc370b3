import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';
import type { Schema } from './form-schema';
import { partsOf } from './pointer';

/** Parts that a schema may grow to; what is beyond stays a reference. */
const PARTS_MOST = 20_000;

function isObject(value: ReadonlyJSONValue | undefined): value is ReadonlyJSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a reference within the same document leads to. */
function target(root: Schema, reference: string): ReadonlyJSONObject | null {
  let at: ReadonlyJSONValue | undefined = root;
  for (const part of partsOf(decodeURIComponent(reference.slice(1)))) {
    at = isObject(at) ? at[part] : undefined;
  }
  return isObject(at) ? at : null;
}

/**
 * A schema with its own definitions put where they are referred to, so that every place of it can be found by walking.
 *
 * What refers to itself, to other documents or to nothing stays as it is.
 */
export function inlined(root: Schema): Schema {
  let parts = 0;
  const walk = (value: ReadonlyJSONValue, within: readonly string[]): ReadonlyJSONValue => {
    parts += 1;
    if (Array.isArray(value)) {
      return value.map((item: ReadonlyJSONValue) => walk(item, within));
    }
    if (!isObject(value)) {
      return value;
    }
    const { $ref: reference, ...rest } = value;
    if (typeof reference === 'string' && reference.startsWith('#') && !within.includes(reference)) {
      const found = parts > PARTS_MOST ? null : target(root, reference);
      return found ? walk({ ...found, ...rest }, [...within, reference]) : value;
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner ?? null, within)]));
  };
  // Definitions are walked where they are used.
  const { definitions, $defs, ...body } = root;
  const kept = { ...(definitions ? { definitions } : {}), ...($defs ? { $defs } : {}) };
  return { ...(walk(body, ['#']) as ReadonlyJSONObject), ...kept };
}
