import type { Erasure, Erasures } from '../../generated/api';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import { toProblem } from '../../model/problem';
import type { ICatalog } from '../../tokens';

/** How often the progress of erasures is read. */
const POLL_MS = 1000;
/** The step of an erasure that has ended. */
const FINISHED = 'finished';

/** The records of one kind that name a person. */
export interface IRecordCount {
  /** The table or log that has them. */
  place: string;
  records: number;
  /** The fields that name the person. */
  fields: readonly string[];
}

/** What is recorded of a person. */
export interface IPersonRecords {
  person: string;
  /** Lines of JSON: a header, then one line for each record. */
  lines: string;
  counts: readonly IRecordCount[];
}

/** The state of the page of the data of people. */
export interface IPrivacyState extends ILiveState {
  /** All erasures, the newest first; null until they are loaded, and without the permission to see them. */
  erasures: Erasures['erasures'] | null;
  /** What is recorded of the person who was entered last; null if there is none. */
  records: IPersonRecords | null;
}

/** A line of an export. */
interface IRecordLine {
  kind: string;
  mentions: readonly { field: string; pointer: string }[];
}

/** Counts the records in an export by place. */
export function countRecords(lines: string): IRecordCount[] {
  const places = new Map<string, { records: number; fields: Set<string> }>();
  // The first line is a header.
  for (const line of lines
    .split('\n')
    .slice(1)
    .filter(text => text !== '')) {
    const { kind, mentions } = JSON.parse(line) as IRecordLine;
    const count = places.get(kind) ?? { records: 0, fields: new Set() };
    mentions.forEach(({ field, pointer }) => count.fields.add(field + pointer.replace(/\/\d+(?=\/|$)/g, '')));
    places.set(kind, { ...count, records: count.records + 1 });
  }
  return [...places].map(([place, { records, fields }]) => ({ place, records, fields: [...fields].sort() }));
}

/** Returns whether names are still being replaced. */
export function isRunning({ step, problem }: Erasure): boolean {
  return step !== FINISHED && problem === '';
}

/** Returns the number of records that an erasure has changed. */
export function countChanged({ changed }: Erasure): number {
  return Object.values(changed).reduce((sum, count) => sum + count, 0);
}

/** The model of the page of the data of people. */
export class PrivacyModel extends LiveModel<IPrivacyState> {
  constructor(private _catalog: ICatalog) {
    super(null, { erasures: null, records: null, busy: false, problem: null });
  }

  /** Reads what is recorded of a person. */
  async readRecords(person: string): Promise<void> {
    this.setState({ busy: true, records: null });
    try {
      const lines = await this._catalog.call('exportPerson', {}, { body: { person } });
      this.setState({ busy: false, problem: null, records: { person, lines, counts: countRecords(lines) } });
    } catch (reason) {
      this.setState({ busy: false, problem: toProblem(reason) });
    }
  }

  /** Forgets what was read of a person. */
  closeRecords(): void {
    this.setState({ records: null });
  }

  /** Starts to erase the person whose records are shown, and follows the progress. */
  async erase(): Promise<void> {
    const { records } = this.state;
    if (records === null) {
      return;
    }
    try {
      await this._catalog.call('startErasure', {}, { body: { person: records.person } });
    } catch (reason) {
      this.setState({ problem: toProblem(reason) });
      return;
    }
    this.closeRecords();
    await this.refresh();
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IPrivacyState>> {
    const { erasures } = await this._catalog.call('listErasures', {}, { signal });
    if (this.isShown && erasures.some(isRunning)) {
      this.scheduleRefresh(POLL_MS);
    }
    return { erasures };
  }

  protected override onChanges(): void {
    // The progress of erasures is not in the change log.
  }
}
