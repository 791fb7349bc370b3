import type { Descriptor, Entity } from '../../generated/api';
import type { IDescribedValue } from '../../model/descriptors';
import { mergeDescriptors } from '../../model/descriptors';
import { columnOf, columnPath, columnUrn } from '../../model/urns';
import type { ColumnMetadata } from './column-metadata';

/** A column as the page of its table shows it. */
export interface IColumn {
  path: string;
  urn: string;
  /** Undefined if the schema does not name the column. */
  type: string | undefined;
  nullable: boolean | undefined;
  /** Tags, glossary terms and domains, each with its sources. */
  labels: readonly IDescribedValue[];
  /** Properties, owners, links and names, each with its sources. */
  properties: readonly IDescribedValue[];
  descriptions: readonly IDescribedValue[];
  /** Whether the column has metadata, and so a page. */
  hasPage: boolean;
}

type SchemaField = Record<string, unknown>;

const LABELS: readonly Descriptor['kind'][] = ['tag', 'term', 'domain'];

function isSchemaField(value: unknown): value is SchemaField {
  return typeof value === 'object' && value !== null && typeof (value as SchemaField)['fieldPath'] === 'string';
}

/** The fields of the schema by the plain paths of their columns. */
function schemaFields(entity: Entity): Map<string, SchemaField> {
  const { fields }: { fields?: unknown } = entity.aspects['schemaMetadata']?.value ?? {};
  const listed = (Array.isArray(fields) ? (fields as unknown[]) : []).filter(isSchemaField);
  return new Map(listed.map(field => [columnPath(String(field['fieldPath'])), field]));
}

/** The descriptors of columns in the aspects of their table, by column. */
function descriptorsOfColumns(entity: Entity): Map<string, Descriptor[]> {
  const found = new Map<string, Descriptor[]>();
  for (const descriptor of entity.descriptors) {
    if (descriptor.column !== null) {
      found.set(descriptor.column, [...(found.get(descriptor.column) ?? []), descriptor]);
    }
  }
  return found;
}

/**
 * Lists the columns of a table: those of its schema in their order, then others that have metadata.
 *
 * @param edited - The URN of what is being edited: a column is listed while its form is open.
 */
export function columnsOf(entity: Entity, metadata: readonly ColumnMetadata[], edited: string | undefined): IColumn[] {
  const fields = schemaFields(entity);
  const byPath = new Map(metadata.map(one => [one.name, one]));
  const inTable = descriptorsOfColumns(entity);
  const column = edited === undefined ? null : columnOf(edited);
  const open = column?.table === entity.urn ? [column.path] : [];
  const described = metadata.filter(({ descriptors }) => descriptors.length > 0).map(({ name }) => name);
  return [...new Set([...fields.keys(), ...inTable.keys(), ...described, ...open])].map(path => {
    const own = byPath.get(path);
    const descriptors = own?.descriptors ?? inTable.get(path) ?? [];
    const urn = own?.urn ?? columnUrn(entity.urn, path);
    return { path, urn, hasPage: own !== undefined, ...typeOf(fields.get(path)), ...groupValues(descriptors) };
  });
}

function typeOf(field: SchemaField | undefined): Pick<IColumn, 'type' | 'nullable'> {
  const { nativeDataType: type, nullable } = field ?? {};
  return {
    type: field && (typeof type === 'string' ? type : ''),
    nullable: typeof nullable === 'boolean' ? nullable : undefined
  };
}

function groupValues(descriptors: readonly Descriptor[]): Pick<IColumn, 'labels' | 'properties' | 'descriptions'> {
  const values = mergeDescriptors(descriptors);
  return {
    labels: values.filter(({ kind }) => LABELS.includes(kind)),
    properties: values.filter(({ kind }) => !LABELS.includes(kind) && kind !== 'description'),
    descriptions: values.filter(({ kind }) => kind === 'description')
  };
}
