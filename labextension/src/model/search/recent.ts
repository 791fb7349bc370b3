import type { Change } from '../../generated/api';
import { omitVariables } from '../notebooks/variable';

/** A recently changed or used entity. */
export interface IRecentEntity {
  urn: string;
  type: string;
  namespace: string;
  name: string;
  actor: string;
  time: string;
  /** Whether it was changed, or accessed by a run. */
  activity: 'changed' | 'used';
}

/** Types that are not listed: programs are found through the data they access. */
const EXCLUDED_TYPES = new Set(['namespace', 'dataFlow']);

/** The start and the end of a run are not listed; the data it accessed is. */
const EXCLUDED_OPERATIONS = new Set(['run-start', 'run-end']);

/** Lists the entities of a part of the change log, newest first, without deleted ones. */
export function listRecentEntities(changes: readonly Change[], limit = 15): IRecentEntity[] {
  const urns = new Set<string>();
  const recent: IRecentEntity[] = [];
  const relevant = omitVariables(changes).filter(
    change => !EXCLUDED_TYPES.has(change.type) && !EXCLUDED_OPERATIONS.has(change.operation)
  );
  for (const change of [...relevant].reverse()) {
    const isDeleted = change.operation === 'delete' && change.aspect === null;
    if (!urns.has(change.urn) && !isDeleted && recent.length < limit) {
      const { urn, type, namespace, name, actor, time } = change;
      recent.push({
        urn,
        type,
        namespace,
        name,
        actor,
        time,
        activity: change.operation === 'access' ? 'used' : 'changed'
      });
    }
    urns.add(change.urn);
  }
  return recent;
}
