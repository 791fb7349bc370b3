import type { IPanelContext } from '../../src/tokens';
import { PanelModel } from '../panel-model';
import type { IGeneratedReport, IReport, IReportedRun, ISavedDefinition } from './report';
import type { IReportForm } from './report-form';
import { buildDefinition, buildForm, NEW_FORM } from './report-form';

const ROOT = '/v1/reports';
const DEFINITIONS = `${ROOT}/definitions`;

/** The state of the panel. */
export interface IReportsState {
  form: IReportForm;
  /** Why the server refuses the form; empty if it does not. */
  problem: string;
  /** Why the server refuses to save the form; empty if it does not. */
  saveProblem: string;
  report: IReport | null;
  /** The stored report that is shown; null for one of the form. */
  shownNumber: number | null;
  runs: readonly IReportedRun[];
  definitions: readonly ISavedDefinition[];
  /** The id of the saved definition in the form; empty for a new one. */
  saved: string;
  /** The generated reports of the saved definition. */
  generated: readonly IGeneratedReport[];
}

/** Reports on runs: the form, what it results in, and what is saved. */
export class ReportsModel extends PanelModel<IReportsState> {
  constructor(
    private _call: IPanelContext['call'],
    signal: AbortSignal
  ) {
    super(
      {
        ...{
          form: NEW_FORM,
          problem: '',
          saveProblem: '',
          report: null,
          shownNumber: null,
          runs: [],
          definitions: [],
          saved: ''
        },
        generated: []
      },
      signal
    );
  }

  /** Loads the saved definitions, and shows the report of the form. */
  async load(): Promise<void> {
    await Promise.all([this.run(this._loadDefinitions), this.show()]);
  }

  /** Changes what the user has entered. */
  change(part: Partial<IReportForm>): void {
    this.setState({ form: { ...this.state.form, ...part } });
  }

  /** Shows the report of the form, and the newest of its runs. */
  async show(): Promise<void> {
    await this._send(async () => {
      const definition = buildDefinition(this.state.form);
      const [report, { runs }] = await Promise.all([
        this._call('POST', `${ROOT}/query`, definition) as Promise<IReport>,
        this._call('POST', `${ROOT}/runs`, definition) as Promise<{ runs: IReportedRun[] }>
      ]);
      this.setState({ report, runs, shownNumber: null });
    });
  }

  /** Resolves to the shown report as CSV; empty if that fails. */
  async readCsv(): Promise<string> {
    let text = '';
    const { saved, shownNumber, form } = this.state;
    await this._send(async () => {
      const csv =
        shownNumber === null
          ? this._call('POST', `${ROOT}/query?format=csv`, buildDefinition(form))
          : this._call('GET', `${this._getPath(saved)}/reports/${shownNumber}?format=csv`);
      text = (await csv) as string;
    });
    return text;
  }

  /** Puts a saved definition into the form, and shows its report; with an empty id, begins a new one. */
  async choose(id: string): Promise<void> {
    const found = this.state.definitions.find(definition => definition.id === id);
    const form = found ? buildForm(found.definition) : NEW_FORM;
    this.setState({ saved: found ? id : '', form, saveProblem: '', generated: [] });
    await Promise.all([this.show(), this.run(this._loadGenerated)]);
  }

  /** Saves the form: as a new definition, or as the one that was chosen. */
  async save(): Promise<void> {
    const saveProblem = await this.submit(async () => {
      const { saved, form } = this.state;
      const [method, path] = saved === '' ? (['POST', DEFINITIONS] as const) : (['PUT', this._getPath(saved)] as const);
      const { id } = (await this._call(method, path, buildDefinition(form))) as ISavedDefinition;
      this.setState({ saved: id });
      await this._loadDefinitions();
    });
    this.setState({ saveProblem });
  }

  /** Deletes the chosen definition with its reports. */
  async delete(): Promise<void> {
    await this._send(async () => {
      await this._call('DELETE', this._getPath(this.state.saved));
      this.setState({ saved: '', generated: [], shownNumber: null });
      await this._loadDefinitions();
    });
  }

  /** Generates a report of the chosen definition, as it is saved, and shows it. */
  async generate(): Promise<void> {
    await this._send(async () => {
      const path = `${this._getPath(this.state.saved)}/run`;
      const { number, status } = (await this._call('POST', path)) as IGeneratedReport;
      await this._loadGenerated();
      if (status === 'succeeded') {
        await this._loadReport(number);
      }
    });
  }

  /** Shows a generated report. */
  async open(number: number): Promise<void> {
    await this._send(() => this._loadReport(number));
  }

  private async _loadReport(number: number): Promise<void> {
    const report = (await this._call('GET', `${this._getPath(this.state.saved)}/reports/${number}`)) as IReport;
    // Its single runs are not stored.
    this.setState({ report, shownNumber: number, runs: [] });
  }

  private readonly _loadDefinitions = async (): Promise<void> => {
    const { definitions } = (await this._call('GET', DEFINITIONS)) as { definitions: ISavedDefinition[] };
    this.setState({ definitions });
  };

  private readonly _loadGenerated = async (): Promise<void> => {
    const { saved } = this.state;
    if (saved !== '') {
      const { reports } = (await this._call('GET', `${this._getPath(saved)}/reports`)) as {
        reports: IGeneratedReport[];
      };
      // Another definition may have been chosen in the meantime.
      if (saved === this.state.saved) {
        this.setState({ generated: reports });
      }
    }
  };

  /** Runs a task, and shows why the server refuses what the user has entered. */
  private async _send(task: () => Promise<void>): Promise<void> {
    this.setState({ problem: await this.submit(task) });
  }

  private _getPath(id: string): string {
    return `${DEFINITIONS}/${encodeURIComponent(id)}`;
  }
}
