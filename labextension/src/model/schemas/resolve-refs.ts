import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';
import type { Schema } from './form-schema';
import { splitPointer } from './pointer';

/** Maximum number of parts of a resolved schema; further references are left unchanged. */
const MAX_PARTS = 20_000;

function isObject(value: ReadonlyJSONValue | undefined): value is ReadonlyJSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the target of a reference within the document. */
function findTarget(root: Schema, reference: string): ReadonlyJSONObject | null {
  let current: ReadonlyJSONValue | undefined = root;
  for (const part of splitPointer(decodeURIComponent(reference.slice(1)))) {
    current = isObject(current) ? current[part] : undefined;
  }
  return isObject(current) ? current : null;
}

/**
 * Replaces the references of a schema by its own definitions, so that all its parts can be visited.
 *
 * Recursive, external and broken references are left unchanged.
 */
export function resolveRefs(root: Schema): Schema {
  let parts = 0;
  const walk = (value: ReadonlyJSONValue, references: readonly string[]): ReadonlyJSONValue => {
    parts += 1;
    if (Array.isArray(value)) {
      return value.map((item: ReadonlyJSONValue) => walk(item, references));
    }
    if (!isObject(value)) {
      return value;
    }
    const { $ref: reference, ...siblings } = value;
    if (typeof reference === 'string' && reference.startsWith('#') && !references.includes(reference)) {
      const definition = parts > MAX_PARTS ? null : findTarget(root, reference);
      return definition ? walk({ ...definition, ...siblings }, [...references, reference]) : value;
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner ?? null, references)]));
  };
  // Definitions are visited where they are used.
  const { definitions, $defs, ...body } = root;
  const definitionMembers = { ...(definitions ? { definitions } : {}), ...($defs ? { $defs } : {}) };
  return { ...(walk(body, ['#']) as ReadonlyJSONObject), ...definitionMembers };
}
