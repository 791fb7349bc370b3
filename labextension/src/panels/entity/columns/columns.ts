import type { Descriptor, Entity } from '../../../generated/api';
import type { IDescribedValue } from '../../../model/descriptors';
import { mergeDescriptors } from '../../../model/descriptors';
import { parseColumnUrn, getColumnPath, createColumnUrn } from '../../../model/urns';
import type { ColumnMetadata } from './column-metadata';

/** A column on the page of its table. */
export interface IColumn {
  path: string;
  urn: string;
  /** Undefined if the column is not in the schema. */
  type: string | undefined;
  nullable: boolean | undefined;
  /** Whether the schema has the column under its plain path, so that it can be renamed or removed. */
  isEditable: boolean;
  /** Whether the column belongs to the key of the table. */
  isKey: boolean;
  /** Tags, glossary terms and domains, each with its sources. */
  labels: readonly IDescribedValue[];
  /** Properties, owners, links and names, each with its sources. */
  properties: readonly IDescribedValue[];
  descriptions: readonly IDescribedValue[];
  /** Whether the column has metadata, and therefore a page. */
  hasPage: boolean;
}

type SchemaField = Record<string, unknown>;

const LABELS: readonly Descriptor['kind'][] = ['tag', 'term', 'domain'];

function isSchemaField(value: unknown): value is SchemaField {
  return typeof value === 'object' && value !== null && typeof (value as SchemaField)['fieldPath'] === 'string';
}

/** Returns the fields of the schema by the plain paths of their columns. */
function indexSchemaFields(entity: Entity): Map<string, SchemaField> {
  const { fields }: { fields?: unknown } = entity.aspects['schemaMetadata']?.value ?? {};
  const listed = (Array.isArray(fields) ? (fields as unknown[]) : []).filter(isSchemaField);
  return new Map(listed.map(field => [getColumnPath(String(field['fieldPath'])), field]));
}

/** Returns the paths of the columns of the primary key. */
function listKeyPaths(entity: Entity): ReadonlySet<string> {
  const { primaryKeys }: { primaryKeys?: unknown } = entity.aspects['schemaMetadata']?.value ?? {};
  return new Set(Array.isArray(primaryKeys) ? primaryKeys.map(path => getColumnPath(String(path))) : []);
}

/** Groups the descriptors of columns in the aspects of their table by column. */
function groupByColumn(entity: Entity): Map<string, Descriptor[]> {
  const byColumn = new Map<string, Descriptor[]>();
  for (const descriptor of entity.descriptors) {
    if (descriptor.column !== null) {
      byColumn.set(descriptor.column, [...(byColumn.get(descriptor.column) ?? []), descriptor]);
    }
  }
  return byColumn;
}

/**
 * Lists the columns of a table: those of its schema in their order, then others with metadata.
 *
 * @param editedUrn - The URN of the edited entity: a column is listed while its form is open.
 */
export function listColumns(
  entity: Entity,
  metadata: readonly ColumnMetadata[],
  editedUrn: string | undefined
): IColumn[] {
  const fields = indexSchemaFields(entity);
  const byPath = new Map(metadata.map(entry => [entry.name, entry]));
  const inTable = groupByColumn(entity);
  const keys = listKeyPaths(entity);
  const column = editedUrn === undefined ? null : parseColumnUrn(editedUrn);
  const editedPaths = column?.table === entity.urn ? [column.path] : [];
  const described = metadata.filter(({ descriptors }) => descriptors.length > 0).map(({ name }) => name);
  return [...new Set([...fields.keys(), ...inTable.keys(), ...described, ...editedPaths])].map(path => {
    const columnMetadata = byPath.get(path);
    const descriptors = columnMetadata?.descriptors ?? inTable.get(path) ?? [];
    const urn = columnMetadata?.urn ?? createColumnUrn(entity.urn, path);
    return {
      path,
      urn,
      hasPage: columnMetadata !== undefined,
      isEditable: fields.get(path)?.['fieldPath'] === path,
      isKey: keys.has(path) || fields.get(path)?.['isPartOfKey'] === true,
      ...getType(fields.get(path)),
      ...groupValues(descriptors)
    };
  });
}

function getType(field: SchemaField | undefined): Pick<IColumn, 'type' | 'nullable'> {
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

/** The order of the columns; by default, that of the schema. */
export type ColumnOrder = 'schema' | 'name' | 'type' | 'nulls';

/** Whether a column contains a text: in its name, its type, a tag or a description. */
function containsText({ path, type, labels, descriptions }: IColumn, text: string): boolean {
  const texts = [path, type ?? '', ...labels.map(({ name }) => name), ...descriptions.map(({ name }) => name)];
  return texts.some(other => other.toLowerCase().includes(text));
}

/** Filters and sorts columns. */
export function arrangeColumns(
  columns: readonly IColumn[],
  text: string,
  order: ColumnOrder,
  getNullShare: (path: string) => number
): readonly IColumn[] {
  const needle = text.trim().toLowerCase();
  const found = needle === '' ? columns : columns.filter(column => containsText(column, needle));
  const byName = (left: IColumn, right: IColumn): number => left.path.localeCompare(right.path);
  switch (order) {
    case 'schema':
      return found;
    case 'name':
      return [...found].sort(byName);
    case 'type':
      return [...found].sort((left, right) => (left.type ?? '').localeCompare(right.type ?? '') || byName(left, right));
    case 'nulls':
      return [...found].sort((left, right) => getNullShare(right.path) - getNullShare(left.path));
  }
}
