import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';
import type { Schema } from '../schemas/form-schema';
import { isObject } from '../schemas/form-schema';
import { resolveRefs } from '../schemas/resolve-refs';

/** Marks of a schema: a branch of a choice, and a property that distinguishes the branch. */
export const BRANCH = 'colophon:branch';
export const DISCRIMINATOR = 'colophon:discriminator';

/** Returns the hints of a schema, in the format of Elyra. */
export function getHints(part: Schema): ReadonlyJSONObject {
  return isObject(part['uihints']) ? part['uihints'] : {};
}

/** The labels of the form of an instance, in addition to those of its schema. */
export interface IFormLabels {
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

/** Marks a branch, and the properties that distinguish it from others: they are set by selecting the branch. */
function markBranch(part: Schema): Schema {
  const members = Object.entries(isObject(part['properties']) ? part['properties'] : {});
  const properties = members.map(([name, inner]): [string, ReadonlyJSONValue] => [
    name,
    isObject(inner) && isSingle(inner) ? { ...inner, [DISCRIMINATOR]: true } : (inner ?? null)
  ]);
  return { ...part, [BRANCH]: true, ...('properties' in part ? { properties: Object.fromEntries(properties) } : {}) };
}

/** Whether a schema describes an object that may have any members. */
export function isOpen(part: Schema): boolean {
  const constraining = ['properties', 'patternProperties', 'oneOf', 'anyOf', 'allOf', '$ref', 'enum'];
  const additional = part['additionalProperties'] ?? true;
  return part['type'] === 'object' && additional === true && !constraining.some(key => key in part);
}

/** Marks all branches in a schema for the form. */
function markBranches(part: ReadonlyJSONValue | undefined): ReadonlyJSONValue {
  if (Array.isArray(part)) {
    return part.map((item: ReadonlyJSONValue) => markBranches(item));
  }
  if (!isObject(part)) {
    return part ?? null;
  }
  const entries = Object.entries(part).map(([key, inner]): [string, ReadonlyJSONValue] => {
    const walked = VALUE_KEYWORDS.has(key) || key.startsWith('ui:') ? (inner ?? null) : markBranches(inner);
    const branches = (key === 'oneOf' || key === 'anyOf') && Array.isArray(walked);
    return [
      key,
      branches ? walked.map((branch: ReadonlyJSONValue) => (isObject(branch) ? markBranch(branch) : branch)) : walked
    ];
  });
  return Object.fromEntries(entries);
}

/** Keywords whose values are not schemas. */
const VALUE_KEYWORDS = new Set([
  'default',
  'const',
  'enum',
  'examples',
  'uihints',
  'required',
  'if',
  'not',
  'contains'
]);

/** Prepares the schema of a part of an instance for a form. */
export function toPartSchema(schema: Schema): Schema {
  return markBranches(resolveRefs(schema)) as Schema;
}

/** Prepares the schema of an instance for a form; a new instance has a field for its name. */
export function toInstanceForm(schema: Schema, isNew: boolean, labels: IFormLabels): Schema {
  const prepared = markBranches(resolveRefs(schema)) as Schema;
  const body = Object.fromEntries(Object.entries(prepared).filter(([key]) => KEYWORDS.has(key)));
  const { name, ...otherProperties } = isObject(body['properties']) ? body['properties'] : ({} as ReadonlyJSONObject);
  const properties = {
    schema_name: {},
    ...otherProperties,
    display_name: {
      type: 'string',
      minLength: 1,
      title: labels.displayName,
      ...toObject(otherProperties['display_name'])
    },
    metadata: omitKeys(toObject(otherProperties['metadata']), ['title', 'description']),
    ...(isNew
      ? {
          name: {
            type: 'string',
            title: labels.name,
            description: labels.nameHelp,
            pattern: NAME_PATTERN,
            maxLength: 200
          }
        }
      : name === undefined
        ? {}
        : { name: { ...toObject(name), uihints: { hidden: true } } })
  };
  const required = new Set(Array.isArray(body['required']) ? (body['required'] as string[]) : []);
  required.delete('name');
  return { ...body, type: 'object', properties, required: [...required.add('display_name').add('metadata')] };
}

function toObject(value: ReadonlyJSONValue | undefined): ReadonlyJSONObject {
  return isObject(value) ? value : {};
}

function omitKeys(value: ReadonlyJSONObject, keys: readonly string[]): ReadonlyJSONObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

/** Returns the initial value of a new document: defaults, and required constants. */
export function getInitialValue(part: Schema): ReadonlyJSONValue | undefined {
  if ('default' in part) {
    return part['default'];
  }
  if (!isObject(part['properties'])) {
    return undefined;
  }
  const required = Array.isArray(part['required']) ? (part['required'] as string[]) : [];
  const members = Object.entries(part['properties'])
    .filter((pair): pair is [string, Schema] => isObject(pair[1]))
    .map(([name, inner]) => {
      const constant = required.includes(name) ? inner['const'] : undefined;
      const within = required.includes(name) || 'default' in inner ? getInitialValue(inner) : undefined;
      return [name, constant ?? within] as const;
    })
    .filter(([, value]) => value !== undefined);
  return members.length > 0 ? (Object.fromEntries(members) as ReadonlyJSONObject) : undefined;
}

/** Returns the category of a property, for grouping; empty if it has none. */
export function getCategory(part: unknown): string {
  const category = isObject(part) ? getHints(part)['category'] : undefined;
  return typeof category === 'string' ? category : '';
}

/** Lists the choices that a schema suggests, which do not exclude other values. */
export function listChoices(part: unknown): string[] {
  if (!isObject(part)) {
    return [];
  }
  const choices = getHints(part)['default_choices'];
  const listed: unknown[] = Array.isArray(choices) ? choices : [];
  return listed.filter((choice): choice is string => typeof choice === 'string');
}

/** Returns the title of a property; without one, derived from its name: `user_namespace` is `User namespace`. */
export function getTitle(part: unknown, name: string): string {
  const title = isObject(part) ? part['title'] : undefined;
  if (typeof title === 'string' && title !== '') {
    return title;
  }
  const words = name.replace(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
