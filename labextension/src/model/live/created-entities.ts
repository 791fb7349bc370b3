import type { Change } from '../../generated/api';
import { isSetByPeople } from '../set-by-people';
import { parseColumnUrn } from '../urns';
import type { IActivity } from './activities';

/** Aspects that only repeat the URN; they are created with the entity. */
const KEY_ASPECT = /Key$/;

/** A row of the list of activities: one activity, or several that created entities in one transaction. */
export interface IActivityRow {
  /** Stable while the activity continues. */
  id: string;
  /** At least one; the latest first. */
  activities: readonly [IActivity, ...IActivity[]];
}

/** A number of created entities: columns of a table, or entities of a type. */
export interface ICreatedCount {
  type: string;
  /** The URN of the table of columns; null for other entities. */
  table: string | null;
  count: number;
}

/** Whether a change is of an entity itself, not of its metadata. */
export function isOfEntity({ aspect }: Change): boolean {
  return aspect === null || KEY_ASPECT.test(aspect);
}

/** Whether a change is one of metadata that people write. */
export function isUserMetadata(change: Change): boolean {
  const { aspect, scope } = change;
  return aspect !== null && isSetByPeople({ aspect, scope }) && !isOfEntity(change);
}

/** Whether an activity is a single transaction that created an entity, without metadata of people. */
function isCreation({ run, time, changes }: IActivity): boolean {
  return (
    run === null &&
    changes.some(change => isOfEntity(change) && change.operation === 'create') &&
    changes.every(change => change.time === time && !isUserMetadata(change))
  );
}

/** All changes of a transaction have its time. */
function getTransaction({ actor, time, changes }: IActivity): string {
  return JSON.stringify([actor, changes[0]?.via ?? null, time]);
}

/** Folds the entities that one transaction created into one row, where the first of them was. */
export function foldCreations(activities: readonly IActivity[]): IActivityRow[] {
  const rows: IActivityRow[] = [];
  const indexes = new Map<string, number>();
  for (const activity of activities) {
    const key = isCreation(activity) ? getTransaction(activity) : null;
    const index = key === null ? undefined : indexes.get(key);
    const row = index === undefined ? undefined : rows[index];
    if (index !== undefined && row !== undefined) {
      rows[index] = { id: activity.id, activities: [...row.activities, activity] };
    } else {
      const length = rows.push({ id: activity.id, activities: [activity] });
      if (key !== null) {
        indexes.set(key, length - 1);
      }
    }
  }
  return rows;
}

/** Counts the entities that changes created: columns by their table, others by their type. */
export function countCreated(changes: readonly Change[]): ICreatedCount[] {
  const counts = new Map<string, ICreatedCount>();
  const created = changes.filter(change => isOfEntity(change) && change.operation === 'create');
  for (const { urn, type } of new Map(created.map(change => [change.urn, change])).values()) {
    const table = parseColumnUrn(urn)?.table ?? null;
    const key = table ?? type;
    counts.set(key, { type, table, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}
