import type { Change, PipelineExecution } from '../../generated/api';
import type { ICatalog, IChangeFeed } from '../../tokens';
import type { ILiveState } from '../live/live-model';
import { LiveModel } from '../live/live-model';
import type { CatalogProblem } from '../problem';
import { toProblem } from '../problem';

/** A check may end before its run is recorded, which the change feed does not show. */
const POLL_MS = 1000;

/** What is known of a check. */
export interface IDataCheckState extends ILiveState {
  /** The last check that was started here; null if there is none. */
  check: PipelineExecution | null;
  /** Whether an action is sent, which cannot be repeated until it is answered. */
  isActing: boolean;
  /** Why the last action failed; null if it succeeded. */
  actionProblem: CatalogProblem | null;
}

/** The last check of each dataset that was started here, by URN: a tab that is shown again continues to show it. */
const lastChecks = new WeakMap<ICatalog, Map<string, PipelineExecution>>();

/** A check of the data of a dataset on the server. */
export class DataCheck extends LiveModel<IDataCheckState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    private _urn: string
  ) {
    const check = lastChecks.get(_catalog)?.get(_urn) ?? null;
    super(feed, { check, isActing: false, actionProblem: null, busy: false, problem: null });
  }

  /** Starts a check. */
  async start(): Promise<void> {
    await this._act(() => this._catalog.call('startQualityCheck', { urn: this._urn }));
  }

  /** Stops the check. */
  async stop(): Promise<void> {
    const { check } = this.state;
    if (check !== null) {
      await this._act(() => this._catalog.call('stopPipelineExecution', { execution: check.id }));
    }
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IDataCheckState>> {
    const { check } = this.state;
    if (check?.ended !== null) {
      return {};
    }
    const read = await this._read(check.id, signal);
    this._rememberAndFollow(read);
    return { check: read };
  }

  protected override onChanges(changes: readonly Change[]): void {
    const { check } = this.state;
    if (check?.ended === null && changes.some(({ operation, run }) => operation === 'run-end' && run === check.run)) {
      void this.refresh();
    }
  }

  private async _act(action: () => Promise<PipelineExecution>): Promise<void> {
    this.setState({ actionProblem: null, isActing: true });
    try {
      const check = await action();
      this.setState({ check, isActing: false });
      this._rememberAndFollow(check);
    } catch (reason) {
      this.setState({ actionProblem: toProblem(reason), isActing: false });
    }
  }

  private async _read(execution: string, signal: AbortSignal): Promise<PipelineExecution> {
    try {
      return await this._catalog.call('readPipelineExecution', { execution }, { signal });
    } catch (reason) {
      if (toProblem(reason).kind === 'not-found') {
        // The server that ran it was started again.
        lastChecks.get(this._catalog)?.delete(this._urn);
      }
      throw reason;
    }
  }

  private _rememberAndFollow(check: PipelineExecution): void {
    const checks = lastChecks.get(this._catalog) ?? new Map<string, PipelineExecution>();
    lastChecks.set(this._catalog, checks.set(this._urn, check));
    if (check.ended === null) {
      this.scheduleRefresh(POLL_MS);
    }
  }
}
