import type { Change, Run, Touched } from '../../generated/api';
import type { ILiveState } from '../../model/live-model';
import { LiveModel } from '../../model/live-model';
import type { ICatalog, IChangeFeed } from '../../tokens';
import { sortedFacts } from './stages';

const CHANGE_PAUSE_MS = 300;
/** How its stages go on is told of the run alone, and is no change of the catalog. */
const STAGES_PAUSE_MS = 1500;

/** An entity that a run had to do with, and what was said of it then. */
export type TouchedEntity = Touched['touched'][number];

/** What the page of a run shows. */
export interface IRunState extends ILiveState {
  run: Run | null;
  touched: readonly TouchedEntity[];
}

/** State of the page of one run. */
export class RunModel extends LiveModel<IRunState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    readonly urn: string
  ) {
    super(feed, { run: null, touched: [], busy: false, problem: null });
  }

  protected override async ask(): Promise<Partial<IRunState>> {
    const [run, { touched }] = await Promise.all([this._catalog.run(this.urn), this._catalog.touched(this.urn)]);
    if (this.isShown && run.status === 'running' && sortedFacts(run).stages.length > 0) {
      this.refreshSoon(STAGES_PAUSE_MS);
    }
    return { run, touched };
  }

  protected override heard(changes: readonly Change[]): void {
    if (changes.some(change => change.run === this.urn)) {
      this.refreshSoon(CHANGE_PAUSE_MS);
    }
  }
}
