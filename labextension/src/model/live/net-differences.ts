import type { ReadonlyJSONValue } from '@lumino/coreutils';
import { JSONExt } from '@lumino/coreutils';
import type { Change } from '../../generated/api';
import type { IDifference } from '../difference';
import { compareDocuments, indexByIdentity } from '../difference';
import { nameField } from '../schemas/field-names';
import { isSetByPeople } from '../set-by-people';
import { getColumnPath, parseColumnUrn } from '../urns';

const SCHEMA = 'schemaMetadata';

/** Compares the columns of two schemas; what changed in a column is not listed. */
function compareColumns(before: object, after: object): IDifference[] {
  const { fields: olds = [] } = before as { fields?: readonly object[] };
  const { fields: news = [] } = after as { fields?: readonly object[] };
  const [oldColumns = {}, newColumns = {}] = indexByIdentity([olds, news]) ?? [];
  return [...new Set([...Object.keys(oldColumns), ...Object.keys(newColumns)])].flatMap(path => {
    const [column, newColumn] = [oldColumns[path], newColumns[path]];
    const kind = column === undefined ? 'added' : newColumn === undefined ? 'removed' : 'changed';
    return kind === 'changed' && JSONExt.deepEqual(column as ReadonlyJSONValue, newColumn as ReadonlyJSONValue)
      ? []
      : [{ kind, place: getColumnPath(path), value: undefined }];
  });
}

/** Compares the first and the last of the changes of one aspect of one entity. */
function compareChanges(changes: readonly Change[]): IDifference[] {
  const [before, after] = [changes[0]?.previous ?? {}, changes.at(-1)?.value ?? {}];
  const [{ urn, aspect }] = changes as [Change];
  const differences = aspect === SCHEMA ? compareColumns(before, after) : compareDocuments(before, after, nameField);
  const column = parseColumnUrn(urn)?.path;
  return column === undefined
    ? differences
    : differences.map(difference => ({ ...difference, place: `${column} › ${difference.place}` }));
}

/** Lists how changes, the earliest first, altered what people set, and the columns: values that were restored are omitted. */
export function listNetDifferences(changes: readonly Change[]): IDifference[] {
  const groups = new Map<string, Change[]>();
  for (const change of changes) {
    const { aspect, scope, urn } = change;
    if (aspect !== null && (aspect === SCHEMA || isSetByPeople({ aspect, scope }))) {
      const key = JSON.stringify([urn, aspect]);
      groups.set(key, [...(groups.get(key) ?? []), change]);
    }
  }
  return [...groups.values()].flatMap(compareChanges);
}
