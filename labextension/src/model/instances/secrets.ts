import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';
import type { Schema } from '../schemas/form-schema';
import { appendStep } from '../schemas/pointer';

/** The value of a secret in answers. Sent back unchanged, the stored secret is kept (spec SEC-14). */
const PLACEHOLDER = { $secret: true };

/** The locations of secrets in a document: steps, with `*` for any item or additional member. */
export type SecretPaths = readonly (readonly string[])[];

type Value = ReadonlyJSONValue | undefined;

function isObject(value: Value): value is ReadonlyJSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value represents a stored secret. */
export function isPlaceholder(value: unknown): boolean {
  return isObject(value as Value) && JSON.stringify(value) === JSON.stringify(PLACEHOLDER);
}

/** Creates a placeholder. */
export function createPlaceholder(): ReadonlyJSONObject {
  return { ...PLACEHOLDER };
}

const PASSWORD_FIELD = '@elyra/metadata-extension:plugin.password';

/** Whether a schema describes a secret. */
export function isSecret(part: Schema): boolean {
  const hints = isObject(part['uihints']) ? part['uihints'] : {};
  return part['format'] === 'password' || hints['secure'] === true || hints['ui:field'] === PASSWORD_FIELD;
}

const SAME_PLACE = ['allOf', 'anyOf', 'oneOf'];
const SAME_PLACE_ONE = ['if', 'then', 'else', 'not'];
const BY_MEMBER = ['properties'];
const EVERY_MEMBER = ['additionalProperties', 'items', 'additionalItems', 'contains', 'unevaluatedProperties'];

/** Lists the subschemas of a schema, each with the step to the part that it describes. */
function listSubschemas(part: Schema): [step: string | null, part: Schema][] {
  const subschemas: [string | null, Value][] = [];
  const listItems = (key: string): Value[] => (Array.isArray(part[key]) ? (part[key] as Value[]) : []);
  const listMembers = (key: string): [string, Value][] => (isObject(part[key]) ? Object.entries(part[key]) : []);
  SAME_PLACE.forEach(key => listItems(key).forEach(subschema => subschemas.push([null, subschema])));
  SAME_PLACE_ONE.forEach(key => subschemas.push([null, part[key]]));
  ['dependencies', 'dependentSchemas'].forEach(key =>
    listMembers(key).forEach(([, subschema]) => subschemas.push([null, subschema]))
  );
  BY_MEMBER.forEach(key => listMembers(key).forEach(([name, subschema]) => subschemas.push([name, subschema])));
  listMembers('patternProperties').forEach(([, subschema]) => subschemas.push(['*', subschema]));
  EVERY_MEMBER.forEach(key => [part[key], ...listItems(key)].forEach(subschema => subschemas.push(['*', subschema])));
  listItems('prefixItems').forEach(subschema => subschemas.push(['*', subschema]));
  return subschemas.filter((pair): pair is [string | null, Schema] => isObject(pair[1]));
}

/**
 * Finds the locations of secrets in the documents of a schema. Recursive parts count as secrets, because they cannot be
 * walked.
 */
export function findSecretPaths(schema: Schema): SecretPaths {
  const paths = new Map<string, readonly string[]>();
  const walk = (part: Schema, at: readonly string[]): void => {
    if (isSecret(part) || '$ref' in part) {
      paths.set(JSON.stringify(at), at);
      return;
    }
    listSubschemas(part).forEach(([step, inner]) => walk(inner, step === null ? at : [...at, step]));
  };
  walk(schema, []);
  return [...paths.values()];
}

function expandStep(value: Value, step: string): string[] {
  if (Array.isArray(value)) {
    return step === '*' ? value.map((_, index) => String(index)) : [];
  }
  return isObject(value) ? Object.keys(value).filter(name => step === '*' || name === step) : [];
}

function getMember(value: Value, step: string): Value {
  return isObject(value) || Array.isArray(value) ? (value as Record<string, Value>)[step] : undefined;
}

function removeSecret(value: Value, base: Value, path: readonly string[]): Value {
  const [step, ...otherSteps] = path;
  if (step === undefined) {
    return isPlaceholder(value) ? value : isPlaceholder(base) ? createPlaceholder() : undefined;
  }
  const changed = new Map(
    expandStep(value, step).map(name => [name, removeSecret(getMember(value, name), getMember(base, name), otherSteps)])
  );
  if (Array.isArray(value)) {
    return value.map((_, index) => changed.get(String(index))).filter(item => item !== undefined);
  }
  return isObject(value) ? dropUndefined({ ...value, ...Object.fromEntries(changed) }) : value;
}

function dropUndefined(value: Record<string, Value>): ReadonlyJSONObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as ReadonlyJSONObject;
}

/** Removes typed secrets from a draft; placeholders of stored secrets are kept. */
export function removeSecrets(
  draft: ReadonlyJSONObject,
  base: ReadonlyJSONObject,
  paths: SecretPaths
): ReadonlyJSONObject {
  return paths.reduce<ReadonlyJSONObject>(
    (value, path) => (removeSecret(value, base, path) as ReadonlyJSONObject | undefined) ?? {},
    draft
  );
}

/**
 * Replaces placeholders by a string, as the schema expects, and returns their locations.
 *
 * Undefined members are removed, because a validator would count them.
 */
export function fillPlaceholders<T extends Value>(value: T): { value: T; pointers: string[] } {
  const pointers: string[] = [];
  const walk = (part: Value, pointer: string): Value => {
    if (isPlaceholder(part)) {
      pointers.push(pointer);
      return 'secret';
    }
    if (Array.isArray(part)) {
      return part.map((item: Value, index) => walk(item, appendStep(pointer, index))) as ReadonlyJSONValue;
    }
    const entries = isObject(part) ? Object.entries(part) : null;
    return entries
      ? dropUndefined(Object.fromEntries(entries.map(([name, item]) => [name, walk(item, appendStep(pointer, name))])))
      : part;
  };
  return { value: walk(value, '') as T, pointers };
}
