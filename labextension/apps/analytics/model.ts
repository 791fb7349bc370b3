import type { TranslationBundle } from '@jupyterlab/translation';
import type { IPanelContext } from '../../src/tokens';
import { PanelModel } from '../panel-model';
import type {
  IAlgorithm,
  IExperiment,
  IExperimentDraft,
  IInspection,
  IJob,
  IModel,
  IModelDraft,
  IPrediction,
  IPredictionDraft,
  ISource,
  ISplit,
  ISplitDraft
} from './documents';

const EXPERIMENTS = '/v2/contexts/{context}/experiments';
/** The service whose methods start jobs on Spark. */
const SPARK = { service: 'ModelManagerService', kind: 'spark' } as const;
const POLL_MS = 2000;

/** How many models can be compared: as many as have a colour of their own. */
export const MOST_COMPARED = 6;

/** The state of the panel. */
export interface IAnalyticsState {
  /** Null until they are loaded. */
  experiments: readonly IExperiment[] | null;
  algorithms: readonly IAlgorithm[];
  /** The open experiment, with its splits and models. */
  experiment: IExperiment | null;
  splits: readonly ISplit[];
  models: readonly IModel[];
  /** The open split, with its statistics. */
  split: ISplit | null;
  /** The open model, with its evaluation and its predictions. */
  model: IModel | null;
  predictions: readonly IPrediction[];
  /** The names of the models to compare, in the order of their choice. */
  compared: readonly string[];
  /** The compared models with their evaluations, in the same order. */
  evaluated: readonly IModel[];
  /** Whether the user may delete something, and what decides. */
  deletion: { allowed: boolean; reason: string };
  /** What has happened, for screen readers. */
  notice: string;
}

const CLOSED = {
  ...{ experiment: null, splits: [], models: [], split: null, model: null },
  ...{ predictions: [], compared: [], evaluated: [] }
} satisfies Partial<IAnalyticsState>;

function isRunning({ state }: IJob): boolean {
  return state === 'running';
}

/** The experiments of a namespace, and the splits, models and predictions of the open one. */
export class AnalyticsModel extends PanelModel<IAnalyticsState> {
  constructor(
    private _context: Pick<IPanelContext, 'call' | 'signal' | 'metadata' | 'namespace'>,
    private _trans: TranslationBundle
  ) {
    const deletion = { allowed: true, reason: '' };
    super({ experiments: null, algorithms: [], ...CLOSED, deletion, notice: '' }, _context.signal);
    this.signal.addEventListener('abort', () => window.clearTimeout(this._timer));
  }

  /** Loads what is shown. */
  refresh(): Promise<boolean> {
    return this._do(() => this._load());
  }

  /** Finds out whether the user may delete something; a refused request would be an entry of the audit. */
  checkDeletion(): Promise<boolean> {
    return this.run(async () => {
      const { metadata, namespace, signal } = this._context;
      const query = { urn: `urn:li:namespace:${namespace}`, permission: 'delete' } as const;
      this.setState({ deletion: await metadata.call('readAccess', query, { signal }) });
    });
  }

  /** Reads the columns of a source. Resolves to them, to why the server refuses it, or to null if that fails. */
  async inspect(source: ISource): Promise<IInspection | string | null> {
    let inspection: IInspection | null = null;
    const refusal = await this.submit(async () => {
      inspection = (await this._context.call('POST', '/v2/contexts/{context}/inspect', source)) as IInspection;
    });
    return refusal || inspection;
  }

  /** Creates an experiment and opens it. Like all that sends a form, resolves to why the server refuses it. */
  async createExperiment(name: string, draft: IExperimentDraft): Promise<string> {
    if (this.state.experiments?.some(experiment => experiment.name === name)) {
      return this._trans.__('An experiment %1 exists already: choose another name.', name);
    }
    return this._send(async () => {
      const path = `${EXPERIMENTS}/${encodeURIComponent(name)}`;
      const experiment = (await this._context.call('PUT', path, draft)) as IExperiment;
      this.setState({ ...CLOSED, experiment, notice: this._trans.__('Created the experiment %1', name) });
      await this._load();
    });
  }

  openExperiment(experiment: IExperiment): Promise<boolean> {
    this.setState({ ...CLOSED, experiment, notice: '' });
    return this.refresh();
  }

  closeExperiment(): Promise<boolean> {
    this.setState({ ...CLOSED, notice: '' });
    return this.refresh();
  }

  deleteExperiment(name: string): Promise<boolean> {
    return this._do(async () => {
      await this._context.call('DELETE', `${EXPERIMENTS}/${encodeURIComponent(name)}`);
      this.setState({ ...CLOSED, notice: this._trans.__('Deleted the experiment %1', name) });
      await this._load();
    });
  }

  createSplit(draft: ISplitDraft): Promise<string> {
    return this._send(async () => {
      await this._context.call('POST', this._getPath('splits'), draft, SPARK);
      this.setState({ notice: this._trans.__('Creating the split %1', draft.name) });
      await this._load();
    });
  }

  /** Shows the statistics of a split, or of none. */
  openSplit(name: string | null): Promise<boolean> {
    this.setState({ split: this.state.splits.find(split => split.name === name) ?? null });
    return this._do(() => this._loadSplit());
  }

  deleteSplit(name: string): Promise<boolean> {
    return this._do(async () => {
      await this._context.call('DELETE', this._getPath('splits', name));
      this.setState({ notice: this._trans.__('Deleted the split %1', name) });
      await this._load();
    });
  }

  trainModel(draft: IModelDraft): Promise<string> {
    return this._send(async () => {
      await this._context.call('POST', this._getPath('models'), draft, SPARK);
      this.setState({ notice: this._trans.__('Training the model %1', draft.name) });
      await this._load();
    });
  }

  /** Shows the evaluation of a model, or of none. */
  openModel(name: string | null): Promise<boolean> {
    const model = this.state.models.find(other => other.name === name) ?? null;
    this.setState({ model, predictions: [] });
    return this._do(() => this._loadModel());
  }

  deleteModel(name: string): Promise<boolean> {
    return this._do(async () => {
      await this._context.call('DELETE', this._getPath('models', name));
      this.setState({ notice: this._trans.__('Deleted the model %1', name) });
      await this._load();
    });
  }

  /** Adds a model to those that are compared, or removes it. */
  toggleCompared(name: string): Promise<boolean> {
    const { compared } = this.state;
    this.setState({
      compared: compared.includes(name) ? compared.filter(other => other !== name) : [...compared, name]
    });
    return this._do(() => this._loadCompared());
  }

  /** Applies the open model to a source. */
  applyModel(draft: IPredictionDraft): Promise<string> {
    return this._send(async () => {
      await this._context.call('POST', `${this._getModelPath()}/apply`, draft, SPARK);
      this.setState({ notice: this._trans.__('Writing the prediction %1', draft.name) });
      await this._load();
    });
  }

  deletePrediction(name: string): Promise<boolean> {
    return this._do(async () => {
      await this._context.call('DELETE', `${this._getModelPath()}/predictions/${encodeURIComponent(name)}`);
      this.setState({ notice: this._trans.__('Deleted the prediction %1; the file remains', name) });
      await this._load();
    });
  }

  /** Runs a task, and polls while a job runs. */
  private async _do(task: () => Promise<void>): Promise<boolean> {
    return this.run(async () => {
      await task();
      this._schedulePoll();
    });
  }

  /** Sends what the user has entered, and polls while a job runs. Resolves to why the server refuses it. */
  private async _send(task: () => Promise<void>): Promise<string> {
    return this.submit(async () => {
      await task();
      this._schedulePoll();
    });
  }

  private async _load(): Promise<void> {
    const { experiment } = this.state;
    if (experiment === null) {
      const { experiments } = await this._read<{ experiments: IExperiment[] }>(EXPERIMENTS);
      this.setState({ experiments });
      return;
    }
    if (this.state.algorithms.length === 0) {
      this.setState(await this._read<{ algorithms: IAlgorithm[] }>('/v2/contexts/{context}/algorithms'));
    }
    const [{ splits }, { models }] = await Promise.all([
      this._read<{ splits: ISplit[] }>(this._getPath('splits')),
      this._read<{ models: IModel[] }>(this._getPath('models'))
    ]);
    if (this._isOpen(experiment)) {
      this._announceEnds([...this.state.splits, ...this.state.models], [...splits, ...models]);
      this.setState({ splits, models });
      this._closeDeleted();
      await Promise.all([this._loadSplit(), this._loadModel(), this._loadCompared()]);
    }
  }

  /** Closes what somebody else has deleted. */
  private _closeDeleted(): void {
    const { splits, models, split, model, compared } = this.state;
    const names = new Set(models.map(({ name }) => name));
    this.setState({
      split: splits.some(({ name }) => name === split?.name) ? split : null,
      model: model !== null && names.has(model.name) ? model : null,
      compared: compared.every(name => names.has(name)) ? compared : compared.filter(name => names.has(name))
    });
  }

  /** Reads the statistics of the open split, unless they are known. */
  private async _loadSplit(): Promise<void> {
    const { experiment, split } = this.state;
    if (experiment !== null && split !== null && !split.statistics) {
      const loaded = await this._read<ISplit>(this._getPath('splits', split.name));
      if (this._isOpen(experiment) && this.state.split?.name === split.name) {
        this.setState({ split: loaded });
      }
    }
  }

  /** Reads the evaluation of the open model, unless it is known, and its predictions. */
  private async _loadModel(): Promise<void> {
    const { experiment, model, predictions: known } = this.state;
    if (experiment === null || model === null) {
      return;
    }
    const path = this._getModelPath();
    const [loaded, { predictions }] = await Promise.all([
      model.evaluation ? model : this._read<IModel>(path),
      this._read<{ predictions: IPrediction[] }>(`${path}/predictions`)
    ]);
    if (this._isOpen(experiment) && this.state.model?.name === model.name) {
      this._announceEnds(known, predictions);
      this.setState({ model: loaded, predictions });
    }
  }

  /** Reads the evaluations of the compared models that are not known. */
  private async _loadCompared(): Promise<void> {
    const { experiment, compared, evaluated } = this.state;
    const models = await Promise.all(
      compared.map(async name => {
        const known = evaluated.find(model => model.name === name);
        return known ?? this._read<IModel>(this._getPath('models', name));
      })
    );
    if (experiment !== null && this._isOpen(experiment) && this.state.compared === compared) {
      this.setState({ evaluated: models });
    }
  }

  /** Announces the jobs that ran before, and have ended. */
  private _announceEnds(before: readonly IJob[], now: readonly IJob[]): void {
    const running = new Set(before.filter(isRunning).map(({ name, createdMs }) => `${createdMs} ${name}`));
    const notices = now
      .filter(job => !isRunning(job) && running.has(`${job.createdMs} ${job.name}`))
      .map(({ name, state, problem }) =>
        state === 'complete' ? this._trans.__('%1 is complete', name) : this._trans.__('%1 failed: %2', name, problem)
      );
    if (notices.length > 0) {
      this.setState({ notice: notices.join('. ') });
    }
  }

  /** Loads again in a while, if a job runs. */
  private _schedulePoll(): void {
    const { splits, models, predictions } = this.state;
    window.clearTimeout(this._timer);
    if (!this.signal.aborted && [...splits, ...models, ...predictions].some(isRunning)) {
      this._timer = window.setTimeout(() => void this._poll(), POLL_MS);
    }
  }

  /** Loads without announcing it; a failure is shown by one that does. */
  private async _poll(): Promise<void> {
    try {
      await this._load();
      this._schedulePoll();
    } catch {
      if (!this.signal.aborted) {
        await this.refresh();
      }
    }
  }

  private async _read<T>(path: string): Promise<T> {
    return (await this._context.call('GET', path)) as T;
  }

  private _isOpen(experiment: IExperiment): boolean {
    return this.state.experiment?.name === experiment.name;
  }

  private _getPath(kind: 'splits' | 'models', name = ''): string {
    const path = `${EXPERIMENTS}/${encodeURIComponent(this.state.experiment?.name ?? '')}/${kind}`;
    return name === '' ? path : `${path}/${encodeURIComponent(name)}`;
  }

  private _getModelPath(): string {
    return this._getPath('models', this.state.model?.name);
  }

  private _timer = 0;
}
