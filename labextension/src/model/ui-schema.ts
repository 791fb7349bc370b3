import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';
import type { Schema } from './form-schema';
import { editingOf, isDrawable, isFlat, isObject, isStamp } from './form-schema';
import { DISCRIMINATOR, hintsOf, isOpen } from './instance-schema';
import { isSecret } from './secrets';

/** Our own fields, by the names by which forms know them. */
export type OwnField =
  'tags' | 'dropdown' | 'code' | 'password' | 'constant' | 'pairs' | 'json' | 'plugin' | 'plugin-properties';

/** Which renderers a form has: annotations that name any other renderer are ignored, because rjsf would fail. */
export interface IRendererNames {
  hasField(name: string): boolean;
  hasWidget(name: string, part: Schema): boolean;
}

type UiSchema = Record<string, unknown>;

const ELYRA_FIELD = /^@elyra\/metadata-extension:plugin\.(tags|dropdown|code|password)$/;

/** Options that name components of React: a schema must choose among registered renderers. */
const COMPONENT_OPTION = /Template$|^(widget|field|globalOptions|classNames|style)$/;

/** The annotations of a part: `uihints` as Elyra's schemas have them, then rjsf's keywords beside the others. */
function annotationsOf(part: Schema): ReadonlyJSONObject {
  const keywords = Object.entries(part).filter(([key]) => key.startsWith('ui:'));
  return { ...hintsOf(part), ...Object.fromEntries(keywords) };
}

/** Whether a part, or a part of it, has annotations. */
function isAnnotated(value: ReadonlyJSONValue | undefined): boolean {
  if (Array.isArray(value)) {
    return value.some((item: ReadonlyJSONValue) => isAnnotated(item));
  }
  return (
    isObject(value) && Object.entries(value).some(([key, inner]) => /^(ui:.+|uihints)$/.test(key) || isAnnotated(inner))
  );
}

/** Completes an order with the properties that it does not name: rjsf refuses an order without them. */
function completeOrder(order: ReadonlyJSONValue | undefined): string[] | null {
  if (!Array.isArray(order)) {
    return null;
  }
  const named = order.filter((name): name is string => typeof name === 'string');
  return named.includes('*') ? named : [...named, '*'];
}

/** The options that rjsf takes from annotations, without the choice of a renderer. */
function optionsOf(annotations: ReadonlyJSONObject): UiSchema {
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

/** The field that a part needs if its annotations choose none. */
function fieldFor(part: Schema, elyraField: string | undefined): OwnField | null {
  if (isSecret(part)) {
    return 'password';
  }
  if ('const' in part || part[DISCRIMINATOR] === true) {
    return 'constant';
  }
  // A closed list of choices has a list to choose from already.
  if (elyraField !== undefined && !('enum' in part)) {
    return elyraField as OwnField;
  }
  if (editingOf(part) === 'pairs') {
    return 'pairs';
  }
  return isOpen(part) || !isDrawable(part) ? 'json' : null;
}

/** The renderer and the options that the annotations of a part choose. */
function chosenUi(part: Schema, names: IRendererNames): UiSchema {
  const annotations = annotationsOf(part);
  const ui = optionsOf(annotations);
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

/** rjsf's `uiSchema` of one part: its annotations, else the renderer that its schema needs. */
function uiOf(part: Schema, names: IRendererNames): UiSchema {
  const ui = chosenUi(part, names);
  const hinted = annotationsOf(part)['ui:field'];
  const [, elyraField] = ELYRA_FIELD.exec(typeof hinted === 'string' ? hinted : '') ?? [];
  const field = fieldFor(part, elyraField);
  return { ...(field === null ? {} : { 'ui:field': field }), ...ui, ...inside(part, names) };
}

function inside(part: Schema, names: IRendererNames): UiSchema {
  const ui: UiSchema = {};
  const { items, additionalProperties: further } = part;
  if (isObject(items)) {
    const hints = hintsOf(part)['items'];
    const hinted = isObject(hints) ? { ...items, uihints: { ...hintsOf(items), ...hints } } : items;
    ui['items'] = uiOf(hinted, names);
  }
  if (isObject(further)) {
    ui['additionalProperties'] = uiOf(further, names);
  }
  for (const key of ['oneOf', 'anyOf']) {
    const branches = part[key];
    if (Array.isArray(branches)) {
      ui['ui:objects'] = (branches as ReadonlyJSONValue[]).every(one => isObject(one) && 'properties' in one);
      ui[key] = (branches as ReadonlyJSONValue[]).map(one => (isObject(one) ? uiOf(one, names) : {}));
    }
  }
  // The properties of a condition stand beside the others; so do, for older forms, those of a branch.
  const added = ['then', 'else'].map(key => part[key]);
  const all = ['oneOf', 'anyOf', 'allOf'].flatMap(key => (Array.isArray(part[key]) ? (part[key] as Schema[]) : []));
  for (const one of [...added, ...all].filter(isObject)) {
    Object.assign(ui, inside({ properties: one['properties'] ?? {}, allOf: one['allOf'] ?? [] }, names));
  }
  for (const [name, inner] of Object.entries(isObject(part['properties']) ? part['properties'] : {})) {
    if (isObject(inner)) {
      ui[name] = uiOf(inner, names);
    }
  }
  return ui;
}

/** `uiSchema` of a part whose schema the form does not contain. */
export function partUi(schema: Schema, names: IRendererNames): UiSchema {
  return inside(schema, names);
}

/** `uiSchema` of the form of an instance. */
export function instanceUi(form: Schema, names: IRendererNames): UiSchema {
  const properties = isObject(form['properties']) ? form['properties'] : {};
  return {
    ...chosenUi(form, names),
    ...inside(form, names),
    schema_name: { 'ui:widget': 'hidden' },
    'ui:order': ['display_name', '*', 'name'].filter(name => name === '*' || name in properties)
  };
}

/** How the form of an aspect shows a property without annotations. */
function aspectDefault(name: string, part: Schema): UiSchema {
  if (isStamp(part)) {
    return { 'ui:field': 'json', 'ui:widget': 'hidden' };
  }
  const editing = editingOf(part);
  if (editing !== 'own') {
    return { 'ui:field': editing };
  }
  if (!isFlat(part)) {
    return { 'ui:field': 'json' };
  }
  return name === 'description' ? { 'ui:widget': 'textarea' } : {};
}

/** How the form of an aspect shows a property: as its annotations choose, else by its schema. */
function aspectPartUi(name: string, part: Schema, names: IRendererNames): UiSchema {
  const shape = aspectDefault(name, part);
  if (!isAnnotated(part)) {
    return shape;
  }
  const chosen = uiOf(part, names);
  // Nested parts are edited as JSON unless annotations say how.
  const isReplaced = 'ui:widget' in chosen || shape['ui:field'] === 'json';
  return isReplaced ? chosen : { ...shape, ...chosen };
}

/** `uiSchema` of the form of an aspect; `uihints` are those of the registry. */
export function aspectUi(schema: Schema, uihints: ReadonlyJSONObject, names: IRendererNames): UiSchema {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const parts = Object.entries(properties).flatMap(([name, part]) =>
    isObject(part) ? [[name, aspectPartUi(name, part, names)] as const] : []
  );
  const order = completeOrder(uihints['order'])?.filter(name => name === '*' || name in properties);
  return {
    ...Object.fromEntries(parts.filter(([, ui]) => Object.keys(ui).length > 0)),
    ...(order ? { 'ui:order': order } : {}),
    ...chosenUi(schema, names)
  };
}
