import type { Entity } from '../../generated/api';
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

/** Tags and terms of a glossary as DataHub's aspects name them, by their last part. */
function labels(field: Told | undefined): string[] {
  const tags = list(record(field?.['globalTags'])['tags']).map(one => text(one['tag']));
  const terms = list(record(field?.['glossaryTerms'])['terms']).map(one => text(one['urn']));
  return [...tags, ...terms].filter(urn => urn !== '').map(shortUrn);
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
  return [...new Set([...schema.keys(), ...edits.keys(), ...spoken, ...open])].map(path =>
    merged(entity.urn, path, { field: schema.get(path), edit: edits.get(path), said: byPath.get(path) })
  );
}

function isSaid({ USER, SYSTEM }: Said): boolean {
  return [USER, SYSTEM].some(one => one.tags.length > 0 || Object.keys(one.properties).length > 0);
}

/** What each tells of a column, where it tells anything. */
interface IParts {
  field: Told | undefined;
  edit: Told | undefined;
  said: Said | undefined;
}

const NOTHING = { properties: {}, tags: [] };

function merged(table: string, path: string, { field, edit, said }: IParts): IColumn {
  const { USER, SYSTEM } = said ?? { USER: NOTHING, SYSTEM: NOTHING };
  const properties: Record<string, string> = { ...SYSTEM.properties, ...USER.properties };
  const user = new Set([...USER.tags, ...labels(edit)]);
  const system = new Set([...SYSTEM.tags, ...labels(field)]);
  const nullable = field?.['nullable'];
  const described = [properties['description'], edit?.['description'], field?.['description']];
  return {
    path,
    urn: said?.urn ?? columnUrn(table, path),
    type: field && text(field['nativeDataType']),
    nullable: typeof nullable === 'boolean' ? nullable : undefined,
    description: described.map(text).find(told => told !== '') ?? '',
    tags: { USER: [...user], SYSTEM: [...system].filter(tag => !user.has(tag)) },
    properties: Object.entries(properties).filter(([key]) => key !== 'description'),
    known: said !== undefined
  };
}
