import type { ReadonlyJSONObject, ReadonlyJSONValue } from '@lumino/coreutils';
import type { Schema } from './form-schema';
import { isObject } from './form-schema';
import { inlined } from './inlining';

/** Marks of a part: it is a branch of a choice; it is what tells that branch from the others. */
export const BRANCH = 'colophon:branch';
export const DISCRIMINATOR = 'colophon:discriminator';

/** The hints of a part, as Elyra's schemas have them. */
export function hintsOf(part: Schema): ReadonlyJSONObject {
  return isObject(part['uihints']) ? part['uihints'] : {};
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

/** Whether a part is an object without further keywords, which may have any members of any type. */
export function isOpen(part: Schema): boolean {
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
    const walked = KEPT.has(key) || key.startsWith('ui:') ? (inner ?? null) : prepared(inner);
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
