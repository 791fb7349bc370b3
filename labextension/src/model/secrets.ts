import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';
import type { Schema } from './form-schema';
import { stepInto } from './pointer';

/** What the server shows in place of a secret; sent back so, the secret stays as it is (spec SEC-14). */
const PLACEHOLDER = { $secret: true };

/** Places of a document that hold secrets: steps into it, `*` for every item or further member. */
export type SecretPlaces = readonly (readonly string[])[];

type Value = ReadonlyJSONValue | undefined;

function isObject(value: Value): value is ReadonlyJSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value stands for a secret that the server keeps. */
export function isPlaceholder(value: unknown): boolean {
  return isObject(value as Value) && JSON.stringify(value) === JSON.stringify(PLACEHOLDER);
}

/** A new placeholder. */
export function placeholder(): ReadonlyJSONObject {
  return { ...PLACEHOLDER };
}

const PASSWORD_FIELD = '@elyra/metadata-extension:plugin.password';

/** Whether a part of a schema describes a secret. */
export function isSecret(part: Schema): boolean {
  const hints = isObject(part['uihints']) ? part['uihints'] : {};
  return part['format'] === 'password' || hints['secure'] === true || hints['ui:field'] === PASSWORD_FIELD;
}

const SAME_PLACE = ['allOf', 'anyOf', 'oneOf'];
const SAME_PLACE_ONE = ['if', 'then', 'else', 'not'];
const BY_MEMBER = ['properties'];
const EVERY_MEMBER = ['additionalProperties', 'items', 'additionalItems', 'contains', 'unevaluatedProperties'];

/** The parts right below a part of a schema, each with the step that leads to what it describes. */
function below(part: Schema): [step: string | null, part: Schema][] {
  const found: [string | null, Value][] = [];
  const many = (key: string): Value[] => (Array.isArray(part[key]) ? (part[key] as Value[]) : []);
  const members = (key: string): [string, Value][] => (isObject(part[key]) ? Object.entries(part[key]) : []);
  SAME_PLACE.forEach(key => many(key).forEach(one => found.push([null, one])));
  SAME_PLACE_ONE.forEach(key => found.push([null, part[key]]));
  ['dependencies', 'dependentSchemas'].forEach(key => members(key).forEach(([, one]) => found.push([null, one])));
  BY_MEMBER.forEach(key => members(key).forEach(([name, one]) => found.push([name, one])));
  members('patternProperties').forEach(([, one]) => found.push(['*', one]));
  EVERY_MEMBER.forEach(key => [part[key], ...many(key)].forEach(one => found.push(['*', one])));
  many('prefixItems').forEach(one => found.push(['*', one]));
  return found.filter((pair): pair is [string | null, Schema] => isObject(pair[1]));
}

/** Where documents of a schema hold secrets. What refers to itself is taken for secret as a whole: nobody can walk it. */
export function secretPlaces(schema: Schema): SecretPlaces {
  const places = new Map<string, readonly string[]>();
  const walk = (part: Schema, at: readonly string[]): void => {
    if (isSecret(part) || '$ref' in part) {
      places.set(JSON.stringify(at), at);
      return;
    }
    below(part).forEach(([step, inner]) => walk(inner, step === null ? at : [...at, step]));
  };
  walk(schema, []);
  return [...places.values()];
}

function stepsInto(value: Value, step: string): string[] {
  if (Array.isArray(value)) {
    return step === '*' ? value.map((_, index) => String(index)) : [];
  }
  return isObject(value) ? Object.keys(value).filter(name => step === '*' || name === step) : [];
}

function inner(value: Value, step: string): Value {
  return isObject(value) || Array.isArray(value) ? (value as Record<string, Value>)[step] : undefined;
}

function without(value: Value, base: Value, place: readonly string[]): Value {
  const [step, ...further] = place;
  if (step === undefined) {
    return isPlaceholder(value) ? value : isPlaceholder(base) ? placeholder() : undefined;
  }
  const changed = new Map(
    stepsInto(value, step).map(name => [name, without(inner(value, name), inner(base, name), further)])
  );
  if (Array.isArray(value)) {
    return value.map((_, index) => changed.get(String(index))).filter(item => item !== undefined);
  }
  return isObject(value) ? clean({ ...value, ...Object.fromEntries(changed) }) : value;
}

function clean(value: Record<string, Value>): ReadonlyJSONObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as ReadonlyJSONObject;
}

/** A draft without any secret that was typed into it; where the server keeps one, it stays kept. */
export function withoutSecrets(
  draft: ReadonlyJSONObject,
  base: ReadonlyJSONObject,
  places: SecretPlaces
): ReadonlyJSONObject {
  return places.reduce<ReadonlyJSONObject>(
    (value, place) => (without(value, base, place) as ReadonlyJSONObject | undefined) ?? {},
    draft
  );
}

/**
 * A document with a text in place of every placeholder, as a schema wants it, and where that was done.
 *
 * What is undefined is left out: a validator would take it for a member.
 */
export function filled<T extends Value>(value: T): { value: T; pointers: string[] } {
  const pointers: string[] = [];
  const walk = (part: Value, pointer: string): Value => {
    if (isPlaceholder(part)) {
      pointers.push(pointer);
      return 'secret';
    }
    if (Array.isArray(part)) {
      return part.map((item: Value, index) => walk(item, stepInto(pointer, index))) as ReadonlyJSONValue;
    }
    const entries = isObject(part) ? Object.entries(part) : null;
    return entries
      ? clean(Object.fromEntries(entries.map(([name, item]) => [name, walk(item, stepInto(pointer, name))])))
      : part;
  };
  return { value: walk(value, '') as T, pointers };
}
