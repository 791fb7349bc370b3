import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { Aspect, Descriptor, Entity, EntityType } from '../../../generated/api';
import { isDescription } from '../../../model/editing/descriptions';
import type { AspectSpec } from '../../../model/editing/editor';
import { appendStep, getValueAt, setValueAt } from '../../../model/schemas/pointer';

/** The aspect in which users annotate entities and columns. */
export const USER_ASPECT = 'businessMetadata';

/** The location of the description in user metadata. */
export const DESCRIPTION_PROPERTY = '/properties/description';

/** A text of an aspect that is edited in place. */
export interface IField {
  spec: AspectSpec;
  /** The location of the text: a JSON Pointer. */
  pointer: string;
}

/** Returns the field of a property of the user. */
export function createPropertyField(spec: AspectSpec, key: string): IField {
  return { spec, pointer: appendStep('/properties', key) };
}

/** Returns the text of a field; empty if there is none. */
export function getFieldText(value: object | undefined, pointer: string): string {
  const text = getValueAt(value, pointer);
  return typeof text === 'string' ? text : '';
}

/** Returns a document with another text in a field; an empty one removes the field. */
export function setFieldText(value: ReadonlyJSONObject, pointer: string, text: string): ReadonlyJSONObject {
  return setValueAt(value, pointer, text === '' ? undefined : text);
}

/** Adds the required members of user metadata. */
export function completeUserMetadata(value: ReadonlyJSONObject): ReadonlyJSONObject {
  return { properties: {}, tags: [], ...value };
}

/** Returns the tags of user metadata. */
function listUserTags(aspect: Pick<Aspect, 'value'> | null | undefined): readonly string[] {
  const { tags }: { tags?: unknown } = aspect?.value ?? {};
  return Array.isArray(tags) ? tags.filter(tag => typeof tag === 'string') : [];
}

/** Returns a change of the tags of user metadata. */
export function withTags(
  apply: (tags: readonly string[]) => readonly string[]
): (value: ReadonlyJSONObject) => ReadonlyJSONObject {
  return value => ({ ...completeUserMetadata(value), tags: apply(listUserTags({ value })) });
}

/** Returns the properties of user metadata. */
export function listUserProperties(aspect: Pick<Aspect, 'value'> | null | undefined): readonly [string, string][] {
  const { properties }: { properties?: Record<string, string> } = aspect?.value ?? {};
  return Object.entries(properties ?? {});
}

/** Properties of the user that the page shows in places of their own. */
export const SPECIAL_PROPERTIES = new Set(['description', 'owner']);

/** A description with the aspect that contains it. */
export type Description = Pick<Descriptor, 'name' | 'aspect' | 'scope'>;

/** Returns the descriptions of an entity, those of users first. */
export function listDescriptions({ descriptors }: Entity): Description[] {
  return descriptors.filter(({ kind, column, name }) => kind === 'description' && column === null && name !== '');
}

/**
 * Returns the field of the description by users: the one that exists, else the aspect of the type for it, else the
 * property `description`; null if users cannot describe the entity.
 */
export function findDescriptionField(entity: Entity, type: EntityType): IField | null {
  const own = type.aspects.find(isDescription);
  const user = type.aspects.find(({ name }) => name === USER_ASPECT);
  const property = user === undefined ? null : createPropertyField(user, 'description');
  const hasOwn = own !== undefined && getFieldText(entity.aspects[own.name]?.value, '/description') !== '';
  const hasProperty = property !== null && getFieldText(entity.aspects[USER_ASPECT]?.value, property.pointer) !== '';
  return own !== undefined && (hasOwn || !hasProperty) ? { spec: own, pointer: '/description' } : property;
}
