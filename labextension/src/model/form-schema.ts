import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';

/** A JSON Schema, or a part of one. */
export type Schema = ReadonlyJSONObject;

/** How a part of a value is edited: by rjsf's own field, as tags, or as keys and values. */
type Editing = 'own' | 'tags' | 'pairs';

/** Whether a value of JSON is an object. */
export function isObject(value: unknown): value is ReadonlyJSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Which of our own editors a schema asks for. */
export function editingOf(schema: Schema): Editing {
  const { items, additionalProperties, properties } = schema;
  if (schema['type'] === 'array' && isObject(items) && items['type'] === 'string' && !('enum' in items)) {
    return 'tags';
  }
  const text = isObject(additionalProperties) && additionalProperties['type'] === 'string';
  return schema['type'] === 'object' && text && properties === undefined ? 'pairs' : 'own';
}

const CHOICES = ['oneOf', 'anyOf', 'allOf', 'if', 'const', 'enum'];
const NUMBERS = new Set(['integer', 'number']);

/** The types that a schema allows, without null; of several kinds of number one. */
function typesOf(schema: Schema): string[] {
  const types = [schema['type']].flat().filter((type): type is string => typeof type === 'string' && type !== 'null');
  return types.length > 1 && types.every(type => NUMBERS.has(type)) ? ['number'] : types;
}

/** Whether there are means to draw a value of one type. */
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

/** Whether a form can draw what fits a schema; else it is edited as JSON. */
export function isDrawable(schema: Schema): boolean {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    return reference.startsWith('#');
  }
  if (schema['type'] === 'null' || CHOICES.some(key => key in schema)) {
    return true;
  }
  const [type = 'properties' in schema ? 'object' : undefined, ...others] = typesOf(schema);
  return others.length === 0 && isDrawableAs(type, schema);
}

/** Whether what a value is made of has a place in a form; else the form would hide a part of it. */
export function hasShape(schema: Schema, value: unknown): boolean {
  const types = typesOf(schema);
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

/** Whether a part is neither a list nor an object. */
export function isFlat(schema: Schema): boolean {
  return isDrawable(schema) && !['array', 'object'].some(type => typesOf(schema).includes(type)) && !('$ref' in schema);
}

const LEFT_OUT = new Set(['$schema', '$id', 'examples', 'colophon']);

/** The schema as a form takes it: without what identifies it, for names of documents mean nothing to a form. */
export function formSchema(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema).filter(([key]) => !LEFT_OUT.has(key) && key !== 'title' && key !== 'description')
  );
}

/** Whether a part records who wrote something and when: people do not edit it. */
export function isStamp(part: Schema): boolean {
  return typeof part['$ref'] === 'string' && part['$ref'].endsWith('.AuditStamp');
}

/** A value with the empty lists and objects that the schema asks for, so that a form has something to begin with. */
export function startingValue(schema: Schema, value: ReadonlyJSONObject): ReadonlyJSONObject {
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
