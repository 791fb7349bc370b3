import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';

/** A JSON Schema, or a part of one. */
export type Schema = ReadonlyJSONObject;

/** How a value is edited: by rjsf's own field, as tags, or as keys and values. */
type EditorKind = 'own' | 'tags' | 'pairs';

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is ReadonlyJSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns which of our editors a schema needs. */
export function getEditorKind(schema: Schema): EditorKind {
  const { items, additionalProperties, properties } = schema;
  if (schema['type'] === 'array' && isObject(items) && items['type'] === 'string' && !('enum' in items)) {
    return 'tags';
  }
  const isTextMap = isObject(additionalProperties) && additionalProperties['type'] === 'string';
  return schema['type'] === 'object' && isTextMap && properties === undefined ? 'pairs' : 'own';
}

const OTHER_KEYWORDS = ['oneOf', 'anyOf', 'allOf', 'if', 'const', 'enum'];
const NUMBERS = new Set(['integer', 'number']);

/** Lists the types of a schema, without null; several numeric types are `number`. */
function listTypes(schema: Schema): string[] {
  const types = [schema['type']].flat().filter((type): type is string => typeof type === 'string' && type !== 'null');
  return types.length > 1 && types.every(type => NUMBERS.has(type)) ? ['number'] : types;
}

/** Whether a form can display a value of a type. */
function isDrawableAs(type: string | undefined, schema: Schema): boolean {
  const { items, properties, additionalProperties } = schema;
  switch (type) {
    case 'array':
      return isObject(items);
    case 'object':
      return properties !== undefined || isObject(additionalProperties) || additionalProperties === false;
    default:
      return type !== undefined;
  }
}

/** Whether a form can display the values of a schema; otherwise, they are edited as JSON. */
export function isDrawable(schema: Schema): boolean {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    return reference.startsWith('#');
  }
  if (schema['type'] === 'null' || OTHER_KEYWORDS.some(key => key in schema)) {
    return true;
  }
  const [type = 'properties' in schema ? 'object' : undefined, ...others] = listTypes(schema);
  return others.length === 0 && isDrawableAs(type, schema);
}

/** Whether a form can display all of a value; otherwise, it would hide a part of it. */
export function hasShape(schema: Schema, value: unknown): boolean {
  const types = listTypes(schema);
  const isList = Array.isArray(value);
  if (types.length > 0 && (isList ? !types.includes('array') : isObject(value) && !types.includes('object'))) {
    return false;
  }
  const { properties, additionalProperties } = schema;
  if (!isObject(properties) || !isObject(value)) {
    return !['array', 'object'].includes(types[0] ?? '') || typeof value === 'object';
  }
  return Object.entries(value).every(([name, inner]) => {
    const part = properties[name];
    return isObject(part) ? hasShape(part, inner) : additionalProperties !== false;
  });
}

/** Whether a schema describes neither a list nor an object. */
export function isFlat(schema: Schema): boolean {
  return (
    isDrawable(schema) && !['array', 'object'].some(type => listTypes(schema).includes(type)) && !('$ref' in schema)
  );
}

const OMITTED_KEYWORDS = new Set(['$schema', '$id', 'examples', 'colophon']);

/** Returns the schema for a form, without its identity and titles. */
export function toFormSchema(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema).filter(([key]) => !OMITTED_KEYWORDS.has(key) && key !== 'title' && key !== 'description')
  );
}

/** Whether these are alternatives that only require properties: a form has nothing to choose between them. */
function onlyRequire(value: ReadonlyJSONValue | undefined): boolean {
  const branches = Array.isArray(value) ? (value as readonly ReadonlyJSONValue[]) : [];
  return branches.length > 0 && branches.every(branch => isObject(branch) && Object.keys(branch).join() === 'required');
}

/** Returns a schema as a form draws it: without alternatives that only require properties. */
export function omitRequirements(schema: Schema): Schema {
  const omit = (value: ReadonlyJSONValue): ReadonlyJSONValue => {
    if (Array.isArray(value)) {
      return value.map((item: ReadonlyJSONValue) => omit(item));
    }
    return isObject(value) ? omitRequirements(value) : value;
  };
  const members = Object.entries(schema).filter(
    ([key, value]) => !(['oneOf', 'anyOf'].includes(key) && onlyRequire(value))
  );
  return Object.fromEntries(members.map(([key, value]) => [key, value === undefined ? null : omit(value)]));
}

/** Whether a property records who wrote something and when; users do not edit it. */
export function isStamp(part: Schema): boolean {
  return typeof part['$ref'] === 'string' && part['$ref'].endsWith('.AuditStamp');
}

/** Adds empty lists and objects for required properties, so that a form can display them. */
export function addRequiredContainers(schema: Schema, value: ReadonlyJSONObject): ReadonlyJSONObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
  const empty: Record<string, ReadonlyJSONValue> = {};
  for (const name of required) {
    const part = properties[name];
    if (isObject(part) && (part['type'] === 'array' || part['type'] === 'object')) {
      empty[name] = part['type'] === 'array' ? [] : {};
    }
  }
  return { ...empty, ...value };
}
