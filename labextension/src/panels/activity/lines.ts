import type { TranslationBundle } from '@jupyterlab/translation';
import type { Change } from '../../generated/api';
import type { IDifference } from '../../model/difference';
import { compareDocuments } from '../../model/difference';
import { nameField } from '../../model/schemas/field-names';
import { parseColumnUrn, shortenUrn } from '../../model/urns';

/** Aspects that only repeat the URN; they are created with the entity. */
const KEY_ASPECT = /Key$/;

/** Lists what changed in the values of aspects, the latest change first. */
export function listDifferences(changes: readonly Change[]): IDifference[] {
  return changes
    .filter(({ aspect, scope }) => aspect !== null && scope === 'USER' && !KEY_ASPECT.test(aspect))
    .flatMap(({ previous, value }) => compareDocuments(previous ?? {}, value ?? {}, nameField));
}

/** Returns a sentence about changes of the entity itself, or of what programs record; empty if there is none. */
export function describeChanges(changes: readonly Change[], trans: TranslationBundle): string {
  const isOfEntity = ({ aspect }: Change): boolean => aspect === null || KEY_ASPECT.test(aspect);
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
  const system = changes.filter(change => !isOfEntity(change) && change.scope === 'SYSTEM');
  if (system.some(change => change.aspect === 'schemaMetadata')) {
    return trans.__('Schema changed');
  }
  return system.length > 0 ? trans.__('System metadata changed') : '';
}

/** Returns the name of an entity in a list; columns with the name of their table. */
export function getEntityLabel({ urn, name }: Pick<Change, 'urn' | 'name'>): string {
  return parseColumnUrn(urn) === null ? name : shortenUrn(urn);
}
