import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';
import type { Schema } from './form-schema';
import { getEditorKind, isDrawable, isFlat, isObject, isStamp } from './form-schema';
import { DISCRIMINATOR, getHints, isOpen } from '../instances/instance-schema';
import { isSecret } from '../instances/secrets';

/** Our own fields by their names in forms. */
export type OwnField =
  'tags' | 'dropdown' | 'code' | 'password' | 'constant' | 'pairs' | 'json' | 'plugin' | 'plugin-properties' | 'stage';

/** The renderers of a form. Annotations with unknown renderers are ignored, because rjsf would fail. */
export interface IRendererNames {
  hasField(name: string): boolean;
  hasWidget(name: string, part: Schema): boolean;
}

type UiSchema = Record<string, unknown>;

const ELYRA_FIELD = /^@elyra\/metadata-extension:plugin\.(tags|dropdown|code|password)$/;

/** Options that contain React components: a schema can only choose registered renderers. */
const COMPONENT_OPTION = /Template$|^(widget|field|globalOptions|classNames|style)$/;

/** Returns the annotations of a schema: `uihints` in the format of Elyra, then the keywords of rjsf. */
function getAnnotations(part: Schema): ReadonlyJSONObject {
  const keywords = Object.entries(part).filter(([key]) => key.startsWith('ui:'));
  return { ...getHints(part), ...Object.fromEntries(keywords) };
}

/** Whether a schema, or a part of it, has annotations. */
function isAnnotated(value: ReadonlyJSONValue | undefined): boolean {
  if (Array.isArray(value)) {
    return value.some((item: ReadonlyJSONValue) => isAnnotated(item));
  }
  return (
    isObject(value) && Object.entries(value).some(([key, inner]) => /^(ui:.+|uihints)$/.test(key) || isAnnotated(inner))
  );
}

/** Adds `*` to an order, because rjsf rejects an incomplete order. */
function completeOrder(order: ReadonlyJSONValue | undefined): string[] | null {
  if (!Array.isArray(order)) {
    return null;
  }
  const named = order.filter((name): name is string => typeof name === 'string');
  return named.includes('*') ? named : [...named, '*'];
}

/** Returns the options of annotations for rjsf, without the renderer. */
function getOptions(annotations: ReadonlyJSONObject): UiSchema {
  const grouped = annotations['ui:options'];
  const options = [
    ...Object.entries(isObject(grouped) ? grouped : {}),
    ...Object.entries(annotations).flatMap(([key, value]) =>
      key.startsWith('ui:') ? [[key.slice(3), value] as const] : []
    )
  ].filter(([name]) => !COMPONENT_OPTION.test(name) && name !== 'options' && name !== 'order');
  const order = completeOrder(annotations['ui:order']);
  return {
    ...Object.fromEntries(options.map(([name, value]) => [`ui:${name}`, value])),
    ...(order === null ? {} : { 'ui:order': order })
  };
}

/** Selects the field for a schema without an annotation for it. */
function selectField(part: Schema, elyraField: string | undefined): OwnField | null {
  if (isSecret(part)) {
    return 'password';
  }
  if ('const' in part || part[DISCRIMINATOR] === true) {
    return 'constant';
  }
  // A closed list of choices already has a selection.
  if (elyraField !== undefined && !('enum' in part)) {
    return elyraField as OwnField;
  }
  if (getEditorKind(part) === 'pairs') {
    return 'pairs';
  }
  return isOpen(part) || !isDrawable(part) ? 'json' : null;
}

/** Returns the renderer and the options that the annotations of a schema choose. */
function getChosenUi(part: Schema, names: IRendererNames): UiSchema {
  const annotations = getAnnotations(part);
  const ui = getOptions(annotations);
  const { 'ui:widget': widget, 'ui:field': field } = annotations;
  if (typeof widget === 'string' && (widget === 'hidden' || names.hasWidget(widget, part))) {
    ui['ui:widget'] = widget;
  }
  if (typeof field === 'string' && !ELYRA_FIELD.test(field) && names.hasField(field)) {
    ui['ui:field'] = field;
  }
  if (annotations['hidden'] === true) {
    ui['ui:widget'] = 'hidden';
  }
  return ui;
}

/** Creates the `uiSchema` of a schema: its annotations, else the renderer that it needs. */
function createPartUi(part: Schema, names: IRendererNames): UiSchema {
  const ui = getChosenUi(part, names);
  const hinted = getAnnotations(part)['ui:field'];
  const [, elyraField] = ELYRA_FIELD.exec(typeof hinted === 'string' ? hinted : '') ?? [];
  const field = selectField(part, elyraField);
  return { ...(field === null ? {} : { 'ui:field': field }), ...ui, ...createInnerUi(part, names) };
}

function createInnerUi(part: Schema, names: IRendererNames): UiSchema {
  const ui: UiSchema = {};
  const { items, additionalProperties: additional } = part;
  if (isObject(items)) {
    const hints = getHints(part)['items'];
    const hinted = isObject(hints) ? { ...items, uihints: { ...getHints(items), ...hints } } : items;
    ui['items'] = createPartUi(hinted, names);
  }
  if (isObject(additional)) {
    ui['additionalProperties'] = createPartUi(additional, names);
  }
  for (const key of ['oneOf', 'anyOf']) {
    const branches = part[key];
    if (Array.isArray(branches)) {
      ui['ui:objects'] = (branches as ReadonlyJSONValue[]).every(branch => isObject(branch) && 'properties' in branch);
      ui[key] = (branches as ReadonlyJSONValue[]).map(branch => (isObject(branch) ? createPartUi(branch, names) : {}));
    }
  }
  // Properties of conditions are beside the others; for older forms, those of branches as well.
  const conditional = ['then', 'else'].map(key => part[key]);
  const branches = ['oneOf', 'anyOf', 'allOf'].flatMap(key =>
    Array.isArray(part[key]) ? (part[key] as Schema[]) : []
  );
  for (const branch of [...conditional, ...branches].filter(isObject)) {
    Object.assign(ui, createInnerUi({ properties: branch['properties'] ?? {}, allOf: branch['allOf'] ?? [] }, names));
  }
  for (const [name, inner] of Object.entries(isObject(part['properties']) ? part['properties'] : {})) {
    if (isObject(inner)) {
      ui[name] = createPartUi(inner, names);
    }
  }
  return ui;
}

/** Creates the `uiSchema` of a schema that is not part of the schema of the form. */
export function toPartUi(schema: Schema, names: IRendererNames): UiSchema {
  return createInnerUi(schema, names);
}

/** Creates the `uiSchema` of the form of an instance. */
export function toInstanceUi(form: Schema, names: IRendererNames): UiSchema {
  const properties = isObject(form['properties']) ? form['properties'] : {};
  return {
    ...getChosenUi(form, names),
    ...createInnerUi(form, names),
    schema_name: { 'ui:widget': 'hidden' },
    'ui:order': ['display_name', '*', 'name'].filter(name => name === '*' || name in properties)
  };
}

/** Returns how the form of an aspect shows a property without annotations. */
function getAspectDefault(name: string, part: Schema): UiSchema {
  if (isStamp(part)) {
    return { 'ui:field': 'json', 'ui:widget': 'hidden' };
  }
  const editing = getEditorKind(part);
  if (editing !== 'own') {
    return { 'ui:field': editing };
  }
  if (!isFlat(part)) {
    return { 'ui:field': 'json' };
  }
  return name === 'description' ? { 'ui:widget': 'textarea' } : {};
}

/** Creates the `uiSchema` of a property of an aspect: by its annotations, else by its schema. */
function createAspectPartUi(name: string, part: Schema, names: IRendererNames): UiSchema {
  const shape = getAspectDefault(name, part);
  if (!isAnnotated(part)) {
    return shape;
  }
  const chosen = createPartUi(part, names);
  // Nested properties are edited as JSON, unless annotations choose otherwise.
  const isReplaced = 'ui:widget' in chosen || shape['ui:field'] === 'json';
  return isReplaced ? chosen : { ...shape, ...chosen };
}

/** Creates the `uiSchema` of the form of an aspect; `uihints` are those of the registry. */
export function toAspectUi(schema: Schema, uihints: ReadonlyJSONObject, names: IRendererNames): UiSchema {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const parts = Object.entries(properties).flatMap(([name, part]) =>
    isObject(part) ? [[name, createAspectPartUi(name, part, names)] as const] : []
  );
  const order = completeOrder(uihints['order'])?.filter(name => name === '*' || name in properties);
  return {
    ...Object.fromEntries(parts.filter(([, ui]) => Object.keys(ui).length > 0)),
    ...(order ? { 'ui:order': order } : {}),
    ...getChosenUi(schema, names)
  };
}
