import type { Change } from '../../generated/api';

/** Changes that belong together: those of one run, or those of one entity by one user within a few minutes. */
export interface IActivity {
  /** Stable while the activity continues. */
  id: string;
  urn: string;
  type: string;
  namespace: string;
  name: string;
  actor: string;
  /** The time of the latest change. */
  time: string;
  /** The run that changed or accessed the entities; null for changes by people. */
  run: string | null;
  /** The latest first. */
  changes: readonly Change[];
}

/** Changes of the same entity by the same user are one activity if less time lies between them. */
const PAUSE_MS = 10 * 60_000;

function getKey(change: Change): string {
  return change.run === null ? `${change.actor} ${change.urn}` : change.run;
}

/** Whether a change is the best description of a run: it names the program, while others name accessed data. */
function namesProgram(change: Change): boolean {
  return change.operation === 'run-start' || change.operation === 'run-end';
}

function createActivity(change: Change): IActivity {
  const { urn, type, namespace, name, actor, time, run, seq } = change;
  return { id: `${seq}`, urn, type, namespace, name, actor, time, run, changes: [change] };
}

/** Adds an earlier change. */
function addEarlier(activity: IActivity, change: Change): IActivity {
  const changes = [...activity.changes, change];
  const isNamed = activity.changes.some(namesProgram) || !namesProgram(change);
  const { urn, type, namespace, name } = isNamed ? activity : change;
  // The id is that of the earliest change, so that an activity that continues keeps its row.
  return { ...activity, urn, type, namespace, name, id: `${change.seq}`, changes };
}

/** Groups changes, the latest first, to activities, the latest first. */
export function groupChanges(changes: readonly Change[]): IActivity[] {
  const activities: IActivity[] = [];
  const indexes = new Map<string, number>();
  for (const change of changes) {
    const key = getKey(change);
    const index = indexes.get(key);
    const activity = index === undefined ? undefined : activities[index];
    const earliest = activity?.changes.at(-1);
    const belongs =
      earliest !== undefined && (change.run !== null || Date.parse(earliest.time) - Date.parse(change.time) < PAUSE_MS);
    if (index !== undefined && activity !== undefined && belongs) {
      activities[index] = addEarlier(activity, change);
    } else {
      indexes.set(key, activities.push(createActivity(change)) - 1);
    }
  }
  return activities;
}

/** The status of a run, if it has ended within the changes. */
export function getRunStatus(activity: IActivity): string | null {
  const end = activity.changes.find(change => change.operation === 'run-end');
  const { status }: { status?: unknown } = end?.value ?? {};
  return typeof status === 'string' ? status : null;
}

/** Whether a change is an access by a run that wrote data, or may have. */
export function isWriteAccess({ operation, value }: Change): boolean {
  const { mode }: { mode?: unknown } = value ?? {};
  return operation === 'access' && mode !== 'read';
}

/** Lists the data that a run accessed, each once, by whether it was written. */
export function listAccessedData(activity: IActivity): { read: Change[]; written: Change[] } {
  const accesses = activity.changes.filter(change => change.operation === 'access');
  const written = takeFirstOfEach(accesses.filter(isWriteAccess));
  const writtenUrns = new Set(written.map(change => change.urn));
  const read = takeFirstOfEach(accesses.filter(change => !isWriteAccess(change) && !writtenUrns.has(change.urn)));
  return { read, written };
}

function takeFirstOfEach(changes: readonly Change[]): Change[] {
  return [...new Map([...changes].reverse().map(change => [change.urn, change])).values()].reverse();
}
