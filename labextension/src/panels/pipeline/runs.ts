import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { Change, PipelineExecution, PipelinePackage, PipelineSchedules, Run } from '../../generated/api';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import type { CatalogProblem } from '../../model/problem';
import { toProblem } from '../../model/problem';
import { getValueAt } from '../../model/schemas/pointer';
import { createPipelineProgramUrn } from '../../model/urns';
import type { ICatalog, IChangeFeed } from '../../tokens';
import type { PipelineModel } from './model';

const POLL_MS = 500;
const CHANGE_PAUSE_MS = 1000;
const SHOWN_RUNS = 10;
const INSTANCES = 'urn:li:instance:(pipelines,';

/** A schedule of the pipeline, with its last run. */
export type Schedule = PipelineSchedules['schedules'][number];

/** The values of a new schedule; one of its two times is empty. */
export interface INewSchedule {
  name: string;
  cron: string;
  every: string;
}

/** What is known of the runs, previews and schedules of a pipeline. */
export interface IRunsState extends ILiveState {
  /** The last preview, and the draft that it shows. */
  preview: { execution: PipelineExecution; draft: ReadonlyJSONObject } | null;
  /** The last run that was started on this page. */
  execution: PipelineExecution | null;
  /** The run whose stages are shown. */
  shownRun: Run | null;
  runs: readonly Run[];
  schedules: readonly Schedule[];
  schedulerEnabled: boolean;
  /** Why the last action failed; null if it succeeded. */
  actionProblem: CatalogProblem | null;
}

const EMPTY: IRunsState = {
  preview: null,
  execution: null,
  shownRun: null,
  runs: [],
  schedules: [],
  schedulerEnabled: true,
  actionProblem: null,
  busy: false,
  problem: null
};

/** The runs, previews and schedules of one pipeline. */
export class PipelineRuns extends LiveModel<IRunsState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    private _pipeline: PipelineModel,
    /** Whether the pipeline was saved. */
    private _isStored: () => boolean
  ) {
    super(feed, EMPTY);
  }

  override dispose(): void {
    window.clearTimeout(this._poll);
    super.dispose();
  }

  /** Previews the draft up to a stage. */
  async startPreview(stage: string): Promise<void> {
    const { draft, name } = this._pipeline;
    const document = this._pipeline.createDocument();
    const body = { name, document, stage, arguments: this._arguments };
    await this._act(async () => {
      const execution = await this._catalog.call('startPipelinePreview', {}, { body });
      this.setState({ preview: { execution, draft } });
      this._schedulePoll();
    });
  }

  /** Runs the stored pipeline. */
  async startRun(): Promise<void> {
    const body = { name: this._pipeline.name, arguments: this._arguments };
    await this._act(async () => {
      const execution = await this._catalog.call('startPipelineRun', {}, { body });
      this.setState({ execution, shownRun: null });
      this._schedulePoll();
    });
  }

  /** Stops a preview or a run. */
  async stop(execution: PipelineExecution): Promise<void> {
    await this._act(async () => {
      this._setExecution(await this._catalog.call('stopPipelineExecution', { execution: execution.id }));
    });
  }

  /** Shows the stages of a recorded run. */
  showRun(run: Run): void {
    this.setState({ shownRun: run });
  }

  /** Creates a schedule of the stored pipeline, with the arguments of this page. */
  async createSchedule({ name, cron, every }: INewSchedule): Promise<boolean> {
    const times = { ...(cron === '' ? {} : { cron }), ...(every === '' ? {} : { every }) };
    const metadata = {
      namespace: this._namespace,
      pipeline: this._pipeline.name,
      ...times,
      arguments: this._arguments
    };
    const body = { display_name: name, schema_name: 'schedule', metadata };
    return this._act(async () => {
      await this._catalog.call('createInstance', { space: 'pipelines' }, { body });
      await this.refresh();
    });
  }

  /** Enables or disables a schedule. */
  async setScheduleEnabled(schedule: string, enabled: boolean): Promise<void> {
    await this._act(async () => {
      const place = { space: 'pipelines', instance: schedule };
      await this._catalog.call('patchInstance', place, { body: { metadata: { enabled } } });
      await this.refresh();
    });
  }

  /** Returns the draft as a package for `spark-submit`; null if the server refused it. */
  async createPackage(): Promise<PipelinePackage | null> {
    const { name } = this._pipeline;
    const body = { name, document: this._pipeline.createDocument(), arguments: this._arguments };
    let result: PipelinePackage | null = null;
    await this._act(async () => {
      result = await this._catalog.call('packagePipeline', {}, { body });
    });
    return result;
  }

  protected override async load(): Promise<Partial<IRunsState>> {
    if (!this._isStored()) {
      return {};
    }
    const { name } = this._pipeline;
    const program = createPipelineProgramUrn(this._namespace, name);
    const [{ runs }, { schedulerEnabled, schedules }] = await Promise.all([
      this._catalog.call('listRuns', { program, limit: SHOWN_RUNS }),
      this._catalog.call('listPipelineSchedules', {})
    ]);
    const { shownRun } = this.state;
    return {
      runs,
      schedulerEnabled,
      schedules: schedules.filter(({ pipeline, namespace }) => pipeline === name && namespace === this._namespace),
      shownRun: runs.find(({ urn }) => urn === shownRun?.urn) ?? shownRun
    };
  }

  protected override onChanges(changes: readonly Change[]): void {
    if (changes.some(({ run, urn }) => run !== null || urn.startsWith(INSTANCES))) {
      this.scheduleRefresh(CHANGE_PAUSE_MS);
    }
  }

  private get _namespace(): string {
    const namespace = getValueAt(this._pipeline.draft, '/metadata/namespace');
    return typeof namespace === 'string' ? namespace : '';
  }

  private get _arguments(): Record<string, string> {
    return { ...this._pipeline.state.arguments };
  }

  private async _act(action: () => Promise<void>): Promise<boolean> {
    this.setState({ actionProblem: null });
    try {
      await action();
      return true;
    } catch (reason) {
      this.setState({ actionProblem: toProblem(reason) });
      return false;
    }
  }

  private _schedulePoll(): void {
    window.clearTimeout(this._poll);
    this._poll = window.setTimeout(() => void this._readExecutions(), POLL_MS);
  }

  /** Reads active executions until they have ended. */
  private async _readExecutions(): Promise<void> {
    const { preview, execution } = this.state;
    const active = [preview?.execution, execution].filter(item => item?.ended === null);
    for (const item of active) {
      await this._readExecution(item!);
    }
    if (active.length > 0 && !this.isDisposed) {
      this._schedulePoll();
    }
  }

  private async _readExecution({ id, run }: PipelineExecution): Promise<void> {
    try {
      this._setExecution(await this._catalog.call('readPipelineExecution', { execution: id }));
      if (run !== null) {
        // A run is recorded when Spark has started.
        const shownRun = await this._catalog.call('readRun', { urn: run }).catch(() => null);
        this.setState(shownRun === null ? {} : { shownRun });
      }
    } catch (reason) {
      const problem = toProblem(reason);
      this.setState({ actionProblem: problem });
      if (problem.kind === 'not-found') {
        // The server was restarted, which ended the execution.
        this._forget(id);
      }
    }
  }

  private _setExecution(execution: PipelineExecution): void {
    const { preview } = this.state;
    if (preview?.execution.id === execution.id) {
      this.setState({ preview: { ...preview, execution } });
    } else if (this.state.execution?.id === execution.id) {
      this.setState({ execution });
      if (execution.ended !== null) {
        void this.refresh();
      }
    }
  }

  private _forget(id: string): void {
    const { preview, execution } = this.state;
    this.setState({
      preview: preview?.execution.id === id ? null : preview,
      execution: execution?.id === id ? null : execution
    });
  }

  private _poll = 0;
}
