import type { Change, Entity, EntityType, Run, Versions } from '../../generated/api';
import { ColumnDescriptionEditor } from '../../model/descriptions';
import type { AspectSpec, FormEditor } from '../../model/editor';
import { AspectEditor } from '../../model/editor';
import type { ILiveState } from '../../model/live-model';
import { LiveModel } from '../../model/live-model';
import type { CatalogProblem } from '../../model/problem';
import { toProblem } from '../../model/problem';
import { parseColumnUrn } from '../../model/urns';
import type { ICatalog, IChangeFeed } from '../../tokens';
import type { ColumnMetadata } from './column-metadata';
import { COLUMN_ASPECT, readColumnAspect, readColumnMetadata } from './column-metadata';
import type { IProfile } from './profile';
import { readNewestProfile } from './profile';

const RUNS_PAGE = 20;
/** One more than is shown at once: the oldest version is the base of comparison for the next one. */
const VERSIONS_PAGE = 11;
const CHANGE_PAUSE_MS = 300;

/** The loaded part of the history of an aspect. */
export interface IHistory {
  aspect: string;
  versions: Versions['versions'];
  cursor: string | null;
  problem: CatalogProblem | null;
}

/** The state of the page of an entity. */
export interface IEntityState extends ILiveState {
  entity: Entity | null;
  type: EntityType | null;
  mayEdit: boolean;
  /** The metadata of the columns of a dataset. */
  columns: readonly ColumnMetadata[];
  columnsProblem: CatalogProblem | null;
  /** The newest profile of the data; null if there is none. */
  profile: IProfile | null;
  profileProblem: CatalogProblem | null;
  runs: readonly Run[] | null;
  runsCursor: string | null;
  runsProblem: CatalogProblem | null;
  history: IHistory | null;
  editor: FormEditor | null;
}

const EMPTY: IEntityState = {
  entity: null,
  type: null,
  mayEdit: false,
  columns: [],
  columnsProblem: null,
  profile: null,
  profileProblem: null,
  runs: null,
  runsCursor: null,
  runsProblem: null,
  history: null,
  editor: null,
  busy: false,
  problem: null
};

/** The model of the page of an entity. */
export class EntityModel extends LiveModel<IEntityState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    readonly urn: string
  ) {
    super(feed, EMPTY);
  }

  /** Whether there are unsaved changes. */
  get isDirty(): boolean {
    return this.state.editor?.isDirty ?? false;
  }

  override dispose(): void {
    this.state.editor?.dispose();
    super.dispose();
  }

  /** Loads everything again, except the edited document. */
  override async refresh(): Promise<boolean> {
    const shown = await super.refresh();
    if (this.state.problem?.kind === 'not-found') {
      this.setState({ entity: null });
    }
    await Promise.all([this._loadRuns(), this._loadHistory(), this._loadProfile(), this.loadColumns()]);
    return shown;
  }

  /** Loads the next page of runs. */
  async loadMoreRuns(): Promise<void> {
    const { runs, runsCursor } = this.state;
    if (runs && runsCursor !== null) {
      const page = await this._readRuns(runsCursor);
      this.setState({ ...page, runs: [...runs, ...(page.runs ?? [])] });
    }
  }

  /** Shows the history of one aspect. */
  async chooseHistory(aspect: string): Promise<void> {
    this.setState({ history: { aspect, versions: [], cursor: null, problem: null } });
    await this._loadHistory();
  }

  /** Loads the next page of the history. */
  async loadMoreHistory(): Promise<void> {
    const { history } = this.state;
    if (history && history.cursor !== null) {
      const page = await this._readHistory(history.aspect, history.cursor);
      this.setState({ history: { ...page, versions: [...history.versions, ...page.versions] } });
    }
  }

  /** Opens the form for an aspect. */
  edit(spec: AspectSpec): void {
    this._open(new AspectEditor(this._catalog, this.urn, spec, this.state.entity?.aspects[spec.name] ?? null));
  }

  /** Opens the form for the user metadata of a column. */
  async editColumn(urn: string): Promise<void> {
    const { editor } = this.state;
    try {
      const [type, base] = await Promise.all([
        this._catalog.call('readEntityType', { type: 'schemaField' }),
        readColumnAspect(this._catalog, urn)
      ]);
      const spec = type.aspects.find(({ name }) => name === COLUMN_ASPECT);
      // Another form may have been opened in the meantime.
      if (spec && this.state.editor === editor && !this.isDisposed) {
        this._open(new AspectEditor(this._catalog, urn, spec, base));
      }
    } catch (reason) {
      this.setState({ columnsProblem: toProblem(reason) });
    }
  }

  /** Opens the form for the description of a column; `title` is the label of the field. */
  async describeColumn(urn: string, title: string): Promise<void> {
    const { editor } = this.state;
    const column = parseColumnUrn(urn);
    try {
      const opened = column && (await ColumnDescriptionEditor.open(this._catalog, { urn, ...column }, title));
      if (opened && this.state.editor === editor && !this.isDisposed) {
        this._open(opened);
      }
    } catch (reason) {
      this.setState({ columnsProblem: toProblem(reason) });
    }
  }

  /** Closes the form and discards unsaved changes. */
  stopEditing(): void {
    this.state.editor?.dispose();
    this.setState({ editor: null });
  }

  /** Loads the metadata of the columns of a dataset; the previous state is kept until all pages are loaded. */
  async loadColumns(): Promise<void> {
    const { currentSignal } = this;
    if (this.state.entity?.type !== 'dataset') {
      return;
    }
    try {
      this.setState({
        columns: await readColumnMetadata(this._catalog, this.urn, currentSignal),
        columnsProblem: null
      });
    } catch (reason) {
      if (currentSignal?.aborted !== true) {
        this.setState({ columnsProblem: toProblem(reason) });
      }
    }
  }

  /** Reads the type; if the registry does not have it any more, returns one without aspects. */
  private async _readType(name: string): Promise<EntityType> {
    try {
      return await this._catalog.call('readEntityType', { type: name });
    } catch (reason) {
      if (toProblem(reason).status !== 404) {
        throw reason;
      }
      return { type: name, title: name, keyAspect: '', aspects: [] };
    }
  }

  protected override async load(): Promise<Partial<IEntityState>> {
    const entity = await this._catalog.call('readEntity', { urn: this.urn });
    const [type, me] = await Promise.all([this._readType(entity.type), this._catalog.call('readMe', {})]);
    return { entity, type, mayEdit: me.scopes.some(scope => scope === 'annotate' || scope === 'admin') };
  }

  protected override onChanges(changes: readonly Change[]): void {
    const mine = changes.filter(({ urn }) => urn === this.urn || parseColumnUrn(urn)?.table === this.urn);
    const { editor, runs } = this.state;
    const newer = mine.filter(({ urn, aspect }) => urn === editor?.urn && aspect === editor.spec.name).at(-1);
    if (editor && newer) {
      editor.onNewVersion(newer.version, newer.actor);
    }
    const shown = new Set(runs?.map(run => run.urn));
    const ofShownRun = changes.some(change => change.run !== null && shown.has(change.run));
    if (mine.length > 0 || ofShownRun) {
      this.scheduleRefresh(CHANGE_PAUSE_MS);
    }
  }

  private _open(editor: FormEditor): void {
    this.state.editor?.dispose();
    editor.changed.connect(() => this.emitChanged());
    editor.saved.connect(() => {
      this.stopEditing();
      void this.refresh();
    });
    this.setState({ editor });
  }

  private async _loadProfile(): Promise<void> {
    if (this.state.entity?.type !== 'dataset') {
      return;
    }
    try {
      const of = { urn: this.urn, aspect: 'datasetProfile' };
      const values = await this._catalog.call('listTimeseriesValues', { ...of, limit: 1 });
      this.setState({ profile: readNewestProfile(values), profileProblem: null });
    } catch (reason) {
      this.setState({ profileProblem: toProblem(reason) });
    }
  }

  private async _loadRuns(): Promise<void> {
    this.setState(await this._readRuns());
  }

  private async _readRuns(cursor?: string): Promise<Pick<IEntityState, 'runs' | 'runsCursor' | 'runsProblem'>> {
    const of = this.urn.startsWith('urn:li:dataJob:') ? { program: this.urn } : { data: this.urn };
    try {
      const page = await this._catalog.call('listRuns', { ...of, limit: RUNS_PAGE, cursor });
      return { runs: page.runs, runsCursor: page.cursor, runsProblem: null };
    } catch (reason) {
      return { runs: this.state.runs, runsCursor: null, runsProblem: toProblem(reason) };
    }
  }

  private async _loadHistory(): Promise<void> {
    const aspect = this.state.history?.aspect ?? this._selectFirstHistory();
    if (aspect !== undefined) {
      const history = await this._readHistory(aspect);
      if ((this.state.history?.aspect ?? aspect) === aspect) {
        this.setState({ history });
      }
    }
  }

  /** Returns the aspect whose history is shown first: user metadata, if there is any. */
  private _selectFirstHistory(): string | undefined {
    const aspects = Object.values(this.state.entity?.aspects ?? {});
    const written = aspects.find(aspect => aspect.scope === 'USER');
    return (written ?? aspects.find(aspect => !aspect.name.endsWith('Key')))?.name;
  }

  private async _readHistory(aspect: string, cursor?: string): Promise<IHistory> {
    try {
      const page = { urn: this.urn, aspect, limit: VERSIONS_PAGE, cursor };
      return { aspect, problem: null, ...(await this._catalog.call('listVersions', page)) };
    } catch (reason) {
      return { aspect, versions: [], cursor: null, problem: toProblem(reason) };
    }
  }
}
