import type { AuditEntry, AuditVerification } from '../../generated/api';
import type { IOperations } from '../../generated/operations';
import { formatCsv } from '../../model/csv';
import type { Interval } from '../../model/interval';
import { toBounds } from '../../model/interval';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import { Superseded, toProblem } from '../../model/problem';
import type { ICatalog } from '../../tokens';

export const ACTIONS = [
  'read',
  'list',
  'search',
  'lineage',
  'runs',
  'relationships',
  'changes',
  'change',
  'access',
  'admin'
] as const satisfies readonly AuditEntry['action'][];
export const OUTCOMES = ['allowed', 'denied'] as const satisfies readonly AuditEntry['outcome'][];

/** The number of entries that are shown at first, and with each further step. */
const PAGE = 100;
/** The most requests for a page: where few entries match, an answer has few although there are more. */
const MAX_REQUESTS = 10;
/** The most entries of one answer. */
const MAX_LIMIT = 500;

/** Which entries are listed and exported; empty texts select all. */
export interface IAuditFilter {
  user: string;
  urn: string;
  program: string;
  run: string;
  action: AuditEntry['action'] | '';
  outcome: AuditEntry['outcome'] | '';
  interval: Interval;
}

export const NO_FILTER: IAuditFilter = {
  ...{ user: '', urn: '', program: '', run: '', action: '', outcome: '' },
  interval: { kind: 'all' }
};

/** The result of comparing the audit with its seals, or what is known so far. */
export interface IVerification extends Omit<AuditVerification, 'cursor'> {
  finished: boolean;
}

/** The state of the page of the audit. */
export interface IAuditState extends ILiveState {
  filter: IAuditFilter;
  /** The newest first. */
  entries: readonly AuditEntry[];
  /** Where earlier entries continue; null if all are loaded. */
  cursor: string | null;
  /** Null until the user verifies the audit. */
  verification: IVerification | null;
}

type Selection = IOperations['exportAuditEntries']['parameters'];

function toSelection({ interval, action, outcome, ...texts }: IAuditFilter): Selection {
  return {
    ...texts,
    ...(action === '' ? {} : { action }),
    ...(outcome === '' ? {} : { outcome }),
    ...toBounds(interval)
  };
}

/** The model of the page of the audit. */
export class AuditModel extends LiveModel<IAuditState> {
  constructor(private _catalog: ICatalog) {
    super(null, { filter: NO_FILTER, entries: [], cursor: null, verification: null, busy: false, problem: null });
  }

  /** Lists the entries that a filter selects. */
  async select(filter: IAuditFilter): Promise<void> {
    this.setState({ filter, entries: [], cursor: null });
    await this.refresh();
  }

  /** Loads earlier entries; a failure becomes the `problem`. */
  async loadMore(): Promise<void> {
    const { entries, cursor } = this.state;
    const signal = this.currentSignal;
    this.setState({ busy: true });
    try {
      const page = await this._readPage(cursor, PAGE, signal);
      // A new filter starts again.
      if (signal?.aborted !== true) {
        this.setState({ entries: [...entries, ...page.entries], cursor: page.cursor, busy: false, problem: null });
      }
    } catch (reason) {
      this._showProblem(reason);
    }
  }

  /** Returns all entries that the filter selects as lines of JSON; null if that failed. */
  async exportLines(): Promise<string | null> {
    this.setState({ busy: true });
    try {
      const lines = await this._catalog.call('exportAuditEntries', toSelection(this.state.filter));
      this.setState({ busy: false, problem: null });
      return lines;
    } catch (reason) {
      this._showProblem(reason);
      return null;
    }
  }

  /** Compares all entries with their seals. */
  async verify(): Promise<void> {
    let result: IVerification = { entries: 0, problems: [], number: 0, hash: '', finished: false };
    let cursor: string | null = '';
    this.setState({ verification: result, problem: null });
    try {
      while (cursor !== null && !this.isDisposed) {
        const part: AuditVerification = await this._catalog.call('verifyAudit', { cursor });
        cursor = part.cursor;
        result = {
          entries: result.entries + part.entries,
          problems: [...result.problems, ...part.problems],
          number: part.number,
          hash: part.hash,
          finished: cursor === null
        };
        this.setState({ verification: result });
      }
    } catch (reason) {
      this.setState({ verification: null });
      this._showProblem(reason);
    }
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IAuditState>> {
    // As many as are shown, when the page is shown again.
    return this._readPage('', Math.max(PAGE, this.state.entries.length), signal);
  }

  protected override onChanges(): void {
    // Reads are not in the change log.
  }

  private async _readPage(
    start: string | null,
    size: number,
    signal: AbortSignal | undefined
  ): Promise<Pick<IAuditState, 'entries' | 'cursor'>> {
    const selection = toSelection(this.state.filter);
    const entries: AuditEntry[] = [];
    let cursor = start;
    for (let request = 0; request < MAX_REQUESTS && cursor !== null && entries.length < size; request++) {
      const parameters = { ...selection, limit: Math.min(MAX_LIMIT, size - entries.length), cursor };
      const page = await this._catalog.call('listAuditEntries', parameters, { signal });
      entries.push(...page.entries);
      cursor = page.cursor;
    }
    return { entries, cursor };
  }

  private _showProblem(reason: unknown): void {
    if (!(reason instanceof Superseded)) {
      this.setState({ busy: false, problem: toProblem(reason) });
    }
  }
}

/** Formats exported lines of JSON as CSV, with a line of names. */
export function formatAuditCsv(lines: string): string {
  const entries = lines
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as AuditEntry);
  const names = ['time', 'user', 'via', 'token', 'action', 'outcome', 'urn', 'detail', 'sensitive', 'count'];
  return formatCsv([
    ['seq', ...names, 'program', 'run'],
    ...entries.map(entry => [
      String(entry.seq),
      entry.time,
      entry.user,
      entry.via ?? '',
      entry.token?.id ?? '',
      entry.action,
      entry.outcome,
      entry.urn,
      entry.detail,
      String(entry.sensitive),
      String(entry.count),
      entry.program ?? '',
      entry.run ?? ''
    ])
  ]);
}
