import type { TranslationBundle } from '@jupyterlab/translation';
import { getDataLabel } from '../../components/data-label';
import { getLastPart } from '../../components/labels';
import type { Change } from '../../generated/api';
import type { IDifference } from '../../model/difference';
import { compareDocuments } from '../../model/difference';
import type { ICreatedCount } from '../../model/live/created-entities';
import { countCreated, isOfEntity, isUserMetadata } from '../../model/live/created-entities';
import { parseVariable } from '../../model/notebooks/variable';
import { nameField } from '../../model/schemas/field-names';
import { isDataType, parseColumnUrn } from '../../model/urns';

/** Lists what changed in the values of aspects, the latest change first. */
export function listDifferences(changes: readonly Change[]): IDifference[] {
  return changes
    .filter(isUserMetadata)
    .flatMap(({ previous, value }) => compareDocuments(previous ?? {}, value ?? {}, nameField));
}

/** Returns a sentence about changes of the entity itself, or of what programs record; empty if there is none. */
export function describeChanges(changes: readonly Change[], trans: TranslationBundle): string {
  const hasOperation = (operation: Change['operation']): boolean =>
    changes.some(change => isOfEntity(change) && change.operation === operation);
  if (hasOperation('delete')) {
    return trans.__('Deleted');
  }
  if (hasOperation('rename')) {
    return trans.__('Renamed');
  }
  if (hasOperation('create')) {
    return trans.__('Created');
  }
  const system = changes.filter(change => !isOfEntity(change) && !isUserMetadata(change));
  if (system.some(change => change.aspect === 'schemaMetadata')) {
    return trans.__('Schema changed');
  }
  return system.length > 0 ? trans.__('System metadata changed') : '';
}

/** Returns the name of an entity in a list, if it has no other; files without their folders, columns with their table. */
export function getEntityLabel({ urn, type, name }: Pick<Change, 'urn' | 'type' | 'name'>): string {
  const column = parseColumnUrn(urn);
  if (column !== null) {
    return `${getDataLabel(column.table)}.${column.path}`;
  }
  return isDataType(type) ? (parseVariable(urn)?.name ?? getLastPart(name)) : name;
}

function formatCount({ type, table, count }: ICreatedCount, trans: TranslationBundle): string {
  if (table !== null) {
    return trans._n('%1 column of %2', '%1 columns of %2', count, getDataLabel(table));
  }
  switch (type) {
    case 'dataset':
      return trans._n('%1 dataset', '%1 datasets', count);
    case 'mlModel':
      return trans._n('%1 model', '%1 models', count);
    case 'dataJob':
      return trans._n('%1 program', '%1 programs', count);
    case 'dataFlow':
      return trans._n('%1 application', '%1 applications', count);
    case 'namespace':
      return trans._n('%1 namespace', '%1 namespaces', count);
    default:
      return trans._n('%1 other entity', '%1 other entities', count);
  }
}

/** Returns what changes created, such as "Created 12 columns of sales.daily"; empty if they created nothing. */
export function describeCreated(changes: readonly Change[], trans: TranslationBundle): string {
  const counts = countCreated(changes).map(count => formatCount(count, trans));
  return counts.length === 0 ? '' : trans.__('Created %1', counts.join(', '));
}
