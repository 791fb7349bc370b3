import type { Change, Run, RunAccesses } from '../../generated/api';
import type { ILiveState } from '../../model/live-model';
import { LiveModel } from '../../model/live-model';
import type { ICatalog, IChangeFeed } from '../../tokens';
import { sortedFacts } from './stages';

const CHANGE_PAUSE_MS = 300;
/** How its stages go on is told of the run alone, and is no change of the catalog. */
const STAGES_PAUSE_MS = 1500;

/** An entity that a run had to do with, and what was said of it then. */
export type TouchedEntity = RunAccesses['accesses'][number];

/** What the page of a run shows. */
export interface IRunState extends ILiveState {
  run: Run | null;
  /** The run that it is a part of; null where there is none, or one may not read it. */
  parent: Run | null;
  touched: readonly TouchedEntity[];
}

/** State of the page of one run. */
export class RunModel extends LiveModel<IRunState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    readonly urn: string
  ) {
    super(feed, { run: null, parent: null, touched: [], busy: false, problem: null });
  }

  protected override async ask(): Promise<Partial<IRunState>> {
    const asked = this._catalog.call('readRun', { urn: this.urn });
    const [run, parent, { accesses: touched }] = await Promise.all([
      asked,
      asked.then(async one => this._parentOf(one)),
      this._catalog.call('listRunAccesses', { urn: this.urn })
    ]);
    if (this.isShown && run.status === 'running' && sortedFacts(run).stages.length > 0) {
      this.refreshSoon(STAGES_PAUSE_MS);
    }
    return { run, parent, touched };
  }

  /** Asked once: what it is called does not change. */
  private async _parentOf({ parent }: Run): Promise<Run | null> {
    if (parent === null || this.state.parent?.urn === parent) {
      return this.state.parent;
    }
    // Without its name it is called by its URN.
    return this._catalog.call('readRun', { urn: parent }).catch(() => null);
  }

  protected override heard(changes: readonly Change[]): void {
    if (changes.some(change => change.run === this.urn)) {
      this.refreshSoon(CHANGE_PAUSE_MS);
    }
  }
}
