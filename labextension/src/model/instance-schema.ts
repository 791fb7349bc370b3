import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';
import type { Schema } from './form-schema';
import { editingOf, isDrawable } from './form-schema';
import { inlined } from './inlining';
import { isSecret } from './secrets';

/** Our own fields, by the names that forms know them by. */
export type OwnField =
  'tags' | 'dropdown' | 'code' | 'password' | 'constant' | 'pairs' | 'json' | 'plugin' | 'plugin-properties';

const ELYRAS = /^@elyra\/metadata-extension:plugin\.(tags|dropdown|code|password)$/;

/** Marks of a part: it is a branch of a choice; it is what tells that branch from the others. */
export const BRANCH = 'colophon:branch';
export const DISCRIMINATOR = 'colophon:discriminator';

/** Widgets that forms have; a hint at any other is left out, for it would break the form. */
const WIDGETS = new Set(['text', 'textarea', 'select', 'radio', 'checkbox', 'checkboxes', 'updown', 'range', 'hidden']);

function isObject(value: unknown): value is ReadonlyJSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hintsOf(part: Schema): ReadonlyJSONObject {
  return isObject(part['uihints']) ? part['uihints'] : {};
}

function ownField(part: Schema, hinted: unknown): OwnField | null {
  const [, elyras] = ELYRAS.exec(typeof hinted === 'string' ? hinted : '') ?? [];
  if (isSecret(part)) {
    return 'password';
  }
  if ('const' in part || part[DISCRIMINATOR] === true) {
    return 'constant';
  }
  // A closed list of choices has a list to choose from already.
  if (elyras !== undefined && !('enum' in part)) {
    return elyras as OwnField;
  }
  if (editingOf(part) === 'pairs') {
    return 'pairs';
  }
  return isOpen(part) || !isDrawable(part) ? 'json' : null;
}

/** rjsf's `uiSchema` of one part: hints as Elyra's schemas give them. */
function uiOf(part: Schema, known: (field: string) => boolean): Record<string, unknown> {
  const hints = hintsOf(part);
  const ui: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(hints)) {
    if (key.startsWith('ui:') && key !== 'ui:field' && key !== 'ui:widget') {
      ui[key] = value;
    }
  }
  const widget = hints['ui:widget'];
  if (typeof widget === 'string' && WIDGETS.has(widget)) {
    ui['ui:widget'] = widget;
  }
  const hinted = hints['ui:field'];
  const field = typeof hinted === 'string' && !ELYRAS.test(hinted) && known(hinted) ? hinted : ownField(part, hinted);
  if (field !== null) {
    ui['ui:field'] = field;
  }
  if (hints['hidden'] === true) {
    ui['ui:widget'] = 'hidden';
  }
  return { ...ui, ...inside(part, known) };
}

function inside(part: Schema, known: (field: string) => boolean): Record<string, unknown> {
  const ui: Record<string, unknown> = {};
  const { items, additionalProperties: further } = part;
  if (isObject(items)) {
    const hints = hintsOf(part)['items'];
    const hinted = isObject(hints) ? { ...items, uihints: { ...hintsOf(items), ...hints } } : items;
    ui['items'] = uiOf(hinted, known);
  }
  if (isObject(further)) {
    ui['additionalProperties'] = uiOf(further, known);
  }
  for (const key of ['oneOf', 'anyOf']) {
    const branches = part[key];
    if (Array.isArray(branches)) {
      ui['ui:objects'] = (branches as ReadonlyJSONValue[]).every(one => isObject(one) && 'properties' in one);
      ui[key] = (branches as ReadonlyJSONValue[]).map(one => (isObject(one) ? uiOf(one, known) : {}));
    }
  }
  // What a condition adds stands beside the other properties; so does, for older forms, what a branch has.
  const added = ['then', 'else'].map(key => part[key]);
  const all = ['oneOf', 'anyOf', 'allOf'].flatMap(key => (Array.isArray(part[key]) ? (part[key] as Schema[]) : []));
  for (const one of [...added, ...all].filter(isObject)) {
    Object.assign(ui, inside({ properties: one['properties'] ?? {}, allOf: one['allOf'] ?? [] }, known));
  }
  for (const [name, inner] of Object.entries(isObject(part['properties']) ? part['properties'] : {})) {
    if (isObject(inner)) {
      ui[name] = uiOf(inner, known);
    }
  }
  return ui;
}

/** `uiSchema` of an instance's form; `known` says which further fields others have registered. */
export function instanceUi(form: Schema, known: (field: string) => boolean): Record<string, unknown> {
  const ui = inside(form, known);
  return {
    ...ui,
    schema_name: { 'ui:widget': 'hidden' },
    'ui:order': ['display_name', '*', 'name'].filter(name => shows(form, name))
  };
}

function shows(form: Schema, name: string): boolean {
  return name === '*' || (isObject(form['properties']) && name in form['properties']);
}

/** What stands in the form of an instance for people, beside what its schema says. */
export interface IFormWords {
  displayName: string;
  name: string;
  nameHelp: string;
}

const KEYWORDS = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'patternProperties', 'dependencies'],
  ...['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'definitions', '$defs']
]);

const NAME_PATTERN = '^[a-z]([a-z0-9_-]{0,198}[a-z0-9])?$';

function isSingle(part: Schema): boolean {
  return 'const' in part || (Array.isArray(part['enum']) && part['enum'].length === 1);
}

/** A branch with its mark, and marks at what tells it from the others: that is chosen with the branch. */
function branchOf(part: Schema): Schema {
  const given = Object.entries(isObject(part['properties']) ? part['properties'] : {});
  const properties = given.map(([name, inner]): [string, ReadonlyJSONValue] => [
    name,
    isObject(inner) && isSingle(inner) ? { ...inner, [DISCRIMINATOR]: true } : (inner ?? null)
  ]);
  return { ...part, [BRANCH]: true, ...('properties' in part ? { properties: Object.fromEntries(properties) } : {}) };
}

/** An object without further keywords may have any members of any type. */
function isOpen(part: Schema): boolean {
  const said = ['properties', 'patternProperties', 'oneOf', 'anyOf', 'allOf', '$ref', 'enum'];
  const further = part['additionalProperties'] ?? true;
  return part['type'] === 'object' && further === true && !said.some(key => key in part);
}

/** A schema with everything in it that a form cannot see by itself. */
function prepared(part: ReadonlyJSONValue | undefined): ReadonlyJSONValue {
  if (Array.isArray(part)) {
    return part.map((item: ReadonlyJSONValue) => prepared(item));
  }
  if (!isObject(part)) {
    return part ?? null;
  }
  const entries = Object.entries(part).map(([key, inner]): [string, ReadonlyJSONValue] => {
    const walked = KEPT.has(key) ? (inner ?? null) : prepared(inner);
    const branches = (key === 'oneOf' || key === 'anyOf') && Array.isArray(walked);
    return [key, branches ? walked.map((one: ReadonlyJSONValue) => (isObject(one) ? branchOf(one) : one)) : walked];
  });
  return Object.fromEntries(entries);
}

/** Parts of a schema that are values, and no schemas. */
const KEPT = new Set(['default', 'const', 'enum', 'examples', 'uihints', 'required', 'if', 'not', 'contains']);

/** A schema of a part of an instance as a form takes it. */
export function partSchema(schema: Schema): Schema {
  return prepared(inlined(schema)) as Schema;
}

/** `uiSchema` of a part whose schema the form does not hold. */
export function partUi(schema: Schema, known: (field: string) => boolean): Record<string, unknown> {
  return inside(schema, known);
}

/** A schema of instances as a form takes it; a new instance may be given a name besides. */
export function instanceForm(schema: Schema, isNew: boolean, words: IFormWords): Schema {
  const whole = prepared(inlined(schema)) as Schema;
  const body = Object.fromEntries(Object.entries(whole).filter(([key]) => KEYWORDS.has(key)));
  const { name, ...given } = isObject(body['properties']) ? body['properties'] : ({} as ReadonlyJSONObject);
  const properties = {
    schema_name: {},
    ...given,
    display_name: { type: 'string', minLength: 1, title: words.displayName, ...asObject(given['display_name']) },
    metadata: withoutKeys(asObject(given['metadata']), ['title', 'description']),
    ...(isNew
      ? {
          name: {
            type: 'string',
            title: words.name,
            description: words.nameHelp,
            pattern: NAME_PATTERN,
            maxLength: 200
          }
        }
      : name === undefined
        ? {}
        : { name: { ...asObject(name), uihints: { hidden: true } } })
  };
  const required = new Set(Array.isArray(body['required']) ? (body['required'] as string[]) : []);
  required.delete('name');
  return { ...body, type: 'object', properties, required: [...required.add('display_name').add('metadata')] };
}

function asObject(value: ReadonlyJSONValue | undefined): ReadonlyJSONObject {
  return isObject(value) ? value : {};
}

function withoutKeys(value: ReadonlyJSONObject, keys: readonly string[]): ReadonlyJSONObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

/** What a new document begins with: defaults, and what is constant and has to be there. */
export function beginning(part: Schema): ReadonlyJSONValue | undefined {
  if ('default' in part) {
    return part['default'];
  }
  if (!isObject(part['properties'])) {
    return undefined;
  }
  const needed = Array.isArray(part['required']) ? (part['required'] as string[]) : [];
  const members = Object.entries(part['properties'])
    .filter((pair): pair is [string, Schema] => isObject(pair[1]))
    .map(([name, inner]) => {
      const constant = needed.includes(name) ? inner['const'] : undefined;
      const within = needed.includes(name) || 'default' in inner ? beginning(inner) : undefined;
      return [name, constant ?? within] as const;
    })
    .filter(([, value]) => value !== undefined);
  return members.length > 0 ? (Object.fromEntries(members) as ReadonlyJSONObject) : undefined;
}

/** The category of a property, for forms that show those of one together; empty for none. */
export function categoryOf(part: unknown): string {
  const category = isObject(part) ? hintsOf(part)['category'] : undefined;
  return typeof category === 'string' ? category : '';
}

/** Choices that a schema offers for a place, without forbidding others. */
export function offeredChoices(part: unknown): string[] {
  if (!isObject(part)) {
    return [];
  }
  const offered = hintsOf(part)['default_choices'];
  const listed: unknown[] = Array.isArray(offered) ? offered : [];
  return listed.filter((one): one is string => typeof one === 'string');
}

/** What a person calls a property that has no title: `user_namespace` is `User namespace`. */
export function titleOf(part: unknown, name: string): string {
  const title = isObject(part) ? part['title'] : undefined;
  if (typeof title === 'string' && title !== '') {
    return title;
  }
  const words = name.replace(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
