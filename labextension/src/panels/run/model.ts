import type { Change, Run, RunAccesses } from '../../generated/api';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import type { ICatalog, IChangeFeed } from '../../tokens';
import { sortFacts } from './stages';

const CHANGE_PAUSE_MS = 300;
/** Progress of stages is recorded in the run only, without a change in the catalog. */
const STAGES_PAUSE_MS = 1500;

/** An entity that the run accessed, with its metadata at that time. */
export type RunAccess = RunAccesses['accesses'][number];

/** The state of the page of a run. */
export interface IRunState extends ILiveState {
  run: Run | null;
  /** The parent run; null if there is none or it may not be read. */
  parent: Run | null;
  accesses: readonly RunAccess[];
}

/** The model of the page of a run. */
export class RunModel extends LiveModel<IRunState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    readonly urn: string
  ) {
    super(feed, { run: null, parent: null, accesses: [], busy: false, problem: null });
  }

  protected override async load(): Promise<Partial<IRunState>> {
    const request = this._catalog.call('readRun', { urn: this.urn });
    const [run, parent, { accesses }] = await Promise.all([
      request,
      request.then(async child => this._readParent(child)),
      this._catalog.call('listRunAccesses', { urn: this.urn })
    ]);
    if (this.isShown && run.status === 'running' && sortFacts(run).stages.length > 0) {
      this.scheduleRefresh(STAGES_PAUSE_MS);
    }
    return { run, parent, accesses };
  }

  /** Read once, because its name does not change. */
  private async _readParent({ parent }: Run): Promise<Run | null> {
    if (parent === null || this.state.parent?.urn === parent) {
      return this.state.parent;
    }
    // Without a name, its URN is shown.
    return this._catalog.call('readRun', { urn: parent }).catch(() => null);
  }

  protected override onChanges(changes: readonly Change[]): void {
    if (changes.some(change => change.run === this.urn)) {
      this.scheduleRefresh(CHANGE_PAUSE_MS);
    }
  }
}
