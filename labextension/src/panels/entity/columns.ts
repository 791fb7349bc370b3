import type { Descriptor, Entity } from '../../generated/api';
import { columnOf, columnUrn, shortUrn } from '../../model/urns';
import type { Said } from './said';

/** A column as the page of its table shows it. */
export interface IColumn {
  path: string;
  urn: string;
  /** Undefined where the schema does not name the column. */
  type: string | undefined;
  nullable: boolean | undefined;
  description: string;
  /** Tags by who wrote them; none stands twice. */
  tags: Readonly<Record<'USER' | 'SYSTEM', readonly string[]>>;
  /** What people and machines said beside the description; what people said goes before. */
  properties: readonly (readonly [string, string])[];
  /** Whether anything was ever said of it: then it has a page. */
  known: boolean;
}

type Told = Record<string, unknown>;

function record(value: unknown): Told {
  return typeof value === 'object' && value !== null ? (value as Told) : {};
}

function list(value: unknown): Told[] {
  return Array.isArray(value) ? value.map(record) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Tags and terms of a glossary as DataHub's aspects name them, by the names of what they refer to. */
function labels(field: Told | undefined, names: ReadonlyMap<string, string>): string[] {
  const tags = list(record(field?.['globalTags'])['tags']).map(one => text(one['tag']));
  const terms = list(record(field?.['glossaryTerms'])['terms']).map(one => text(one['urn']));
  return [...tags, ...terms].filter(urn => urn !== '').map(urn => names.get(urn) ?? shortUrn(urn));
}

/** The names of what descriptors refer to, by URN. */
function namesOf(descriptors: readonly Descriptor[]): Map<string, string> {
  return new Map(descriptors.flatMap(({ urn, name }) => (urn === null ? [] : [[urn, name] as const])));
}

/** Tags and terms of a column, in whatever aspect, that somebody wrote in a scope. */
function described(said: Said | undefined, scope: Descriptor['scope']): string[] {
  return (said?.descriptors ?? [])
    .filter(one => one.scope === scope && (one.kind === 'tag' || one.kind === 'term'))
    .map(one => one.name);
}

/** The fields that an aspect tells of, by their paths; what is no field is left out. */
function fieldsOf(entity: Entity, aspect: string, member: string): Map<string, Told> {
  const fields = list(record(entity.aspects[aspect]?.value)[member]);
  return new Map(fields.filter(one => typeof one['fieldPath'] === 'string').map(one => [text(one['fieldPath']), one]));
}

/**
 * The columns of a table: those of its schema in their order, then others of which something was said.
 *
 * @param edited - The URN of what is being edited: while that is a column it is shown, whatever the schema says.
 */
export function columnsOf(entity: Entity, said: readonly Said[], edited: string | undefined): IColumn[] {
  const schema = fieldsOf(entity, 'schemaMetadata', 'fields');
  // DataHub's pages keep what people say of columns in an aspect of the table.
  const edits = fieldsOf(entity, 'editableSchemaMetadata', 'editableSchemaFieldInfo');
  const byPath = new Map(said.map(one => [one.name, one]));
  const column = edited === undefined ? null : columnOf(edited);
  const open = column?.table === entity.urn ? [column.path] : [];
  const spoken = said.filter(one => isSaid(one)).map(one => one.name);
  const names = namesOf([...entity.descriptors, ...said.flatMap(one => one.descriptors)]);
  return [...new Set([...schema.keys(), ...edits.keys(), ...spoken, ...open])].map(path =>
    merged(entity.urn, path, { field: schema.get(path), edit: edits.get(path), said: byPath.get(path), names })
  );
}

function isSaid({ USER, SYSTEM, descriptors }: Said): boolean {
  return (
    descriptors.length > 0 || [USER, SYSTEM].some(one => one.tags.length > 0 || Object.keys(one.properties).length > 0)
  );
}

/** What each tells of a column, where it tells anything. */
interface IParts {
  field: Told | undefined;
  edit: Told | undefined;
  said: Said | undefined;
  /** Names of what is referred to, by URN. */
  names: ReadonlyMap<string, string>;
}

const NOTHING = { properties: {}, tags: [] };

function merged(table: string, path: string, { field, edit, said, names }: IParts): IColumn {
  const { USER, SYSTEM } = said ?? { USER: NOTHING, SYSTEM: NOTHING };
  const properties: Record<string, string> = { ...SYSTEM.properties, ...USER.properties };
  const user = new Set([...USER.tags, ...labels(edit, names), ...described(said, 'USER')]);
  const system = new Set([...SYSTEM.tags, ...labels(field, names), ...described(said, 'SYSTEM')]);
  const nullable = field?.['nullable'];
  // What people wrote goes before what machines wrote.
  const descriptions = [edit, USER.properties, SYSTEM.properties, field].map(one => record(one)['description']);
  return {
    path,
    urn: said?.urn ?? columnUrn(table, path),
    type: field && text(field['nativeDataType']),
    nullable: typeof nullable === 'boolean' ? nullable : undefined,
    description: descriptions.map(text).find(told => told !== '') ?? '',
    tags: { USER: [...user], SYSTEM: [...system].filter(tag => !user.has(tag)) },
    properties: Object.entries(properties).filter(([key]) => key !== 'description'),
    known: said !== undefined
  };
}
