import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';

/** A JSON Schema, or a part of one. */
export type Schema = ReadonlyJSONObject;

/** How a part of a value is edited: by the form's own means, as words, or as keys and values. */
type Editing = 'own' | 'words' | 'pairs';

function isSchema(value: ReadonlyJSONValue | undefined): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Which of our own editors a schema asks for. */
export function editingOf(schema: Schema): Editing {
  const { items, additionalProperties, properties } = schema;
  if (schema['type'] === 'array' && isSchema(items) && items['type'] === 'string' && !('enum' in items)) {
    return 'words';
  }
  const text = isSchema(additionalProperties) && additionalProperties['type'] === 'string';
  return schema['type'] === 'object' && text && properties === undefined ? 'pairs' : 'own';
}

const LEFT_OUT = new Set(['$schema', '$id', 'examples', 'colophon']);

/** The schema as a form takes it: without what identifies it, for names of documents mean nothing to a form. */
export function formSchema(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema).filter(([key]) => !LEFT_OUT.has(key) && key !== 'title' && key !== 'description')
  );
}

/** rjsf's `uiSchema`: which field gets which of our editors, and the order that the registry hints at. */
export function uiSchemaOf(schema: Schema, uihints: ReadonlyJSONObject): Record<string, unknown> {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {};
  const ui: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(properties)) {
    const editing = isSchema(part) ? editingOf(part) : 'own';
    if (editing !== 'own') {
      ui[name] = { 'ui:field': editing };
    }
  }
  const order = uihints['order'];
  if (Array.isArray(order)) {
    ui['ui:order'] = [...(order as string[]).filter(name => name in properties), '*'];
  }
  return ui;
}

/** A value with the empty lists and objects that the schema asks for, so that a form has something to begin with. */
export function startingValue(schema: Schema, value: ReadonlyJSONObject): ReadonlyJSONObject {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
  const empty: Record<string, ReadonlyJSONValue> = {};
  for (const name of required) {
    const part = properties[name];
    if (isSchema(part) && (part['type'] === 'array' || part['type'] === 'object')) {
      empty[name] = part['type'] === 'array' ? [] : {};
    }
  }
  return { ...empty, ...value };
}
