import type { Change, Run } from '../../generated/api';
import type { ICatalog, IChangeFeed } from '../../tokens';
import type { ILiveState } from '../live/live-model';
import { LiveModel } from '../live/live-model';
import { parseNotebookUrn } from '../urns';

/** Data that a notebook accessed, with the newest run that did. */
interface IDataUse {
  urn: string;
  run: Run;
}

/** The state of what a notebook reads and writes. */
export interface INotebookDataState extends ILiveState {
  /** The path of the notebook, relative to the server's root; null if there is none. */
  path: string | null;
  /** The newest run of each cell, newest first. */
  runs: readonly Run[];
  /** The data that these runs read, latest access first. */
  reads: readonly IDataUse[];
  /** The data that these runs wrote, latest access first. */
  writes: readonly IDataUse[];
}

const NOTHING = { runs: [], reads: [], writes: [] };

/** A cell reports several changes at its end. */
const CHANGE_PAUSE_MS = 300;

/** The data of each mode of access in these runs, without duplicates. */
function collect(runs: readonly Run[], modes: readonly string[]): IDataUse[] {
  const uses = new Map<string, IDataUse>();
  for (const run of runs) {
    for (const { data, mode } of run.accesses) {
      if (modes.includes(mode) && !uses.has(data)) {
        uses.set(data, { urn: data, run });
      }
    }
  }
  return [...uses.values()];
}

/** Returns the program of a change: of a run itself, or of an access to data. */
function getProgram({ urn, value }: Change): string {
  const program = (value as Record<string, unknown> | null)?.['program'];
  return typeof program === 'string' ? program : urn;
}

/** What a notebook reads and writes, by the newest run of each of its cells; follows the change feed while shown. */
export class NotebookDataModel extends LiveModel<INotebookDataState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    path: string | null = null
  ) {
    super(feed, { path, ...NOTHING, busy: false, problem: null });
  }

  /** Shows another notebook, also after a rename; null for none. */
  setPath(path: string | null): void {
    if (path !== this.state.path) {
      this.setState({ path, ...NOTHING, problem: null });
      if (this.isShown) {
        void this.refresh();
      }
    }
  }

  protected override async load(signal: AbortSignal): Promise<Partial<INotebookDataState>> {
    const { path } = this.state;
    if (path === null) {
      return NOTHING;
    }
    const { runs } = await this._catalog.call('listCellRuns', { notebook: path }, { signal });
    return { runs, reads: collect(runs, ['read', 'both', 'unknown']), writes: collect(runs, ['write', 'both']) };
  }

  protected override onChanges(changes: readonly Change[]): void {
    const { path } = this.state;
    if (path !== null && changes.some(change => parseNotebookUrn(getProgram(change))?.path === path)) {
      this.scheduleRefresh(CHANGE_PAUSE_MS);
    }
  }
}
