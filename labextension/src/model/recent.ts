import type { Change } from '../generated/api';

/** An entity that changed lately. */
export interface IRecent {
  urn: string;
  type: string;
  namespace: string;
  name: string;
  actor: string;
  time: string;
  /** Whether it was changed, or read or written by a run. */
  how: 'changed' | 'used';
}

/** Types a person does not look for by browsing: a program is found through what it touched. */
const NOT_LISTED = new Set(['namespace', 'dataFlow']);

/** Of a run's beginning and end nothing is listed: what it touched is. */
const NOT_NEWS = new Set(['run-start', 'run-end']);

/** The entities of a slice of the change log, last changed or used first; what is deleted is left out. */
export function recentEntities(changes: readonly Change[], most = 15): IRecent[] {
  const seen = new Set<string>();
  const recent: IRecent[] = [];
  const news = changes.filter(change => !NOT_LISTED.has(change.type) && !NOT_NEWS.has(change.operation));
  for (const change of [...news].reverse()) {
    const gone = change.operation === 'delete' && change.aspect === null;
    if (!seen.has(change.urn) && !gone && recent.length < most) {
      const { urn, type, namespace, name, actor, time } = change;
      recent.push({ urn, type, namespace, name, actor, time, how: change.operation === 'access' ? 'used' : 'changed' });
    }
    seen.add(change.urn);
  }
  return recent;
}
