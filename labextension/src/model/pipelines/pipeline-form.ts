import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';
import type { Schema } from '../schemas/form-schema';
import { isObject } from '../schemas/form-schema';

/** A part of the form of a pipeline: its settings, or a stage by its index. */
export type PipelinePart = 'settings' | number;

/** Properties of a stage that the canvas edits itself. */
const CANVAS_PROPERTIES = ['name', 'type'];

function omit(value: ReadonlyJSONObject, names: readonly string[]): ReadonlyJSONObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

function toObject(value: ReadonlyJSONValue | undefined): ReadonlyJSONObject {
  return isObject(value) ? value : {};
}

/** Restricts a schema to some of its properties. */
function restrictProperties(schema: Schema, properties: ReadonlyJSONObject): Schema {
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
  return { ...schema, properties, required: required.filter(name => name in properties) };
}

/** Restricts the form of a pipeline to a part of it. The values of the other parts stay in the document. */
export function restrictPipelineForm(form: Schema, part: PipelinePart): Schema {
  const properties = toObject(form['properties']);
  const metadata = toObject(properties['metadata']);
  const members = toObject(metadata['properties']);
  if (part === 'settings') {
    const settings = restrictProperties(metadata, omit(members, ['stages', 'connections']));
    return { ...form, properties: { ...properties, metadata: settings } };
  }
  const stages = toObject(members['stages']);
  const stage = toObject(stages['items']);
  const items = restrictProperties(stage, omit(toObject(stage['properties']), CANVAS_PROPERTIES));
  const selected = { ...stages, items, uihints: { 'ui:field': 'stage', 'ui:index': part } };
  const plain = { ...restrictProperties(metadata, { stages: selected }), 'ui:frame': false };
  return restrictProperties(form, { metadata: plain });
}
