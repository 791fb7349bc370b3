import type { Change, Entity, EntityType, Run, Versions } from '../../generated/api';
import { ColumnDescriptionEditor } from '../../model/descriptions';
import type { AspectSpec, FormEditor } from '../../model/editor';
import { AspectEditor } from '../../model/editor';
import type { ILiveState } from '../../model/live-model';
import { LiveModel } from '../../model/live-model';
import type { CatalogProblem } from '../../model/problem';
import { asProblem } from '../../model/problem';
import { columnOf } from '../../model/urns';
import type { ICatalog, IChangeFeed } from '../../tokens';
import type { ColumnMetadata } from './column-metadata';
import { COLUMN_ASPECT, readColumnAspect, readColumnMetadata } from './column-metadata';
import type { IProfile } from './profile';
import { newestProfile } from './profile';

const RUNS_PAGE = 20;
/** One more than is shown at once: the oldest is what the one after it is compared with. */
const VERSIONS_PAGE = 11;
const CHANGE_PAUSE_MS = 300;

/** The history of one aspect, as far as it was loaded. */
export interface IHistory {
  aspect: string;
  versions: Versions['versions'];
  cursor: string | null;
  problem: CatalogProblem | null;
}

/** What the page of an entity shows. */
export interface IEntityState extends ILiveState {
  entity: Entity | null;
  type: EntityType | null;
  mayEdit: boolean;
  /** The metadata of the columns of a dataset. */
  columns: readonly ColumnMetadata[];
  columnsProblem: CatalogProblem | null;
  /** How the data looks; null where nobody counted it. */
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

/** State of the page of one entity. */
export class EntityModel extends LiveModel<IEntityState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    readonly urn: string
  ) {
    super(feed, EMPTY);
  }

  /** Whether something was typed that is not saved. */
  get dirty(): boolean {
    return this.state.editor?.dirty ?? false;
  }

  override dispose(): void {
    this.state.editor?.dispose();
    super.dispose();
  }

  /** Asks again for everything but what is being edited. */
  override async refresh(): Promise<boolean> {
    const shown = await super.refresh();
    if (this.state.problem?.kind === 'absent') {
      this.set({ entity: null });
    }
    await Promise.all([this._loadRuns(), this._loadHistory(), this._loadProfile(), this.loadColumns()]);
    return shown;
  }

  /** The next page of runs. */
  async moreRuns(): Promise<void> {
    const { runs, runsCursor } = this.state;
    if (runs && runsCursor !== null) {
      const page = await this._askRuns(runsCursor);
      this.set({ ...page, runs: [...runs, ...(page.runs ?? [])] });
    }
  }

  /** Shows the history of one aspect. */
  async chooseHistory(aspect: string): Promise<void> {
    this.set({ history: { aspect, versions: [], cursor: null, problem: null } });
    await this._loadHistory();
  }

  /** The next page of the history. */
  async moreHistory(): Promise<void> {
    const { history } = this.state;
    if (history && history.cursor !== null) {
      const page = await this._askHistory(history.aspect, history.cursor);
      this.set({ history: { ...page, versions: [...history.versions, ...page.versions] } });
    }
  }

  /** Opens the form for an aspect. */
  edit(spec: AspectSpec): void {
    this._open(new AspectEditor(this._catalog, this.urn, spec, this.state.entity?.aspects[spec.name] ?? null));
  }

  /** Opens the form for what people write of a column. */
  async editColumn(urn: string): Promise<void> {
    const { editor } = this.state;
    try {
      const [type, base] = await Promise.all([
        this._catalog.call('readEntityType', { type: 'schemaField' }),
        readColumnAspect(this._catalog, urn)
      ]);
      const spec = type.aspects.find(({ name }) => name === COLUMN_ASPECT);
      // Another form may have been opened meanwhile.
      if (spec && this.state.editor === editor && !this.isDisposed) {
        this._open(new AspectEditor(this._catalog, urn, spec, base));
      }
    } catch (reason) {
      this.set({ columnsProblem: asProblem(reason) });
    }
  }

  /** Opens the form for the description of a column; `title` is what its field is called. */
  async describeColumn(urn: string, title: string): Promise<void> {
    const { editor } = this.state;
    const column = columnOf(urn);
    try {
      const opened = column && (await ColumnDescriptionEditor.open(this._catalog, { urn, ...column }, title));
      if (opened && this.state.editor === editor && !this.isDisposed) {
        this._open(opened);
      }
    } catch (reason) {
      this.set({ columnsProblem: asProblem(reason) });
    }
  }

  /** Closes the form; what was typed is gone. */
  stopEditing(): void {
    this.state.editor?.dispose();
    this.set({ editor: null });
  }

  /** Loads the metadata of the columns of a dataset; the previous state stays until all pages are there. */
  async loadColumns(): Promise<void> {
    const { asking } = this;
    if (this.state.entity?.type !== 'dataset') {
      return;
    }
    try {
      this.set({ columns: await readColumnMetadata(this._catalog, this.urn, asking), columnsProblem: null });
    } catch (reason) {
      if (asking?.aborted !== true) {
        this.set({ columnsProblem: asProblem(reason) });
      }
    }
  }

  /** The type; of an entity whose type the registry lost, one without aspects. */
  private async _typeOf(name: string): Promise<EntityType> {
    try {
      return await this._catalog.call('readEntityType', { type: name });
    } catch (reason) {
      if (asProblem(reason).status !== 404) {
        throw reason;
      }
      return { type: name, title: name, keyAspect: '', aspects: [] };
    }
  }

  protected override async ask(): Promise<Partial<IEntityState>> {
    const entity = await this._catalog.call('readEntity', { urn: this.urn });
    const [type, me] = await Promise.all([this._typeOf(entity.type), this._catalog.call('readMe', {})]);
    return { entity, type, mayEdit: me.scopes.some(scope => scope === 'annotate' || scope === 'admin') };
  }

  protected override heard(changes: readonly Change[]): void {
    const mine = changes.filter(({ urn }) => urn === this.urn || columnOf(urn)?.table === this.urn);
    const { editor, runs } = this.state;
    const newer = mine.filter(({ urn, aspect }) => urn === editor?.urn && aspect === editor.spec.name).at(-1);
    if (editor && newer) {
      editor.noticed(newer.version, newer.actor);
    }
    const shown = new Set(runs?.map(run => run.urn));
    const ofShownRun = changes.some(change => change.run !== null && shown.has(change.run));
    if (mine.length > 0 || ofShownRun) {
      this.refreshSoon(CHANGE_PAUSE_MS);
    }
  }

  private _open(editor: FormEditor): void {
    this.state.editor?.dispose();
    editor.changed.connect(() => this.announce());
    editor.saved.connect(() => {
      this.stopEditing();
      void this.refresh();
    });
    this.set({ editor });
  }

  private async _loadProfile(): Promise<void> {
    if (this.state.entity?.type !== 'dataset') {
      return;
    }
    try {
      const of = { urn: this.urn, aspect: 'datasetProfile' };
      const values = await this._catalog.call('listTimeseriesValues', { ...of, limit: 1 });
      this.set({ profile: newestProfile(values), profileProblem: null });
    } catch (reason) {
      this.set({ profileProblem: asProblem(reason) });
    }
  }

  private async _loadRuns(): Promise<void> {
    this.set(await this._askRuns());
  }

  private async _askRuns(cursor?: string): Promise<Pick<IEntityState, 'runs' | 'runsCursor' | 'runsProblem'>> {
    const of = this.urn.startsWith('urn:li:dataJob:') ? { program: this.urn } : { data: this.urn };
    try {
      const page = await this._catalog.call('listRuns', { ...of, limit: RUNS_PAGE, cursor });
      return { runs: page.runs, runsCursor: page.cursor, runsProblem: null };
    } catch (reason) {
      return { runs: this.state.runs, runsCursor: null, runsProblem: asProblem(reason) };
    }
  }

  private async _loadHistory(): Promise<void> {
    const aspect = this.state.history?.aspect ?? this._firstHistory();
    if (aspect !== undefined) {
      const history = await this._askHistory(aspect);
      if ((this.state.history?.aspect ?? aspect) === aspect) {
        this.set({ history });
      }
    }
  }

  /** The aspect whose history is shown first: what people wrote, if anybody did. */
  private _firstHistory(): string | undefined {
    const aspects = Object.values(this.state.entity?.aspects ?? {});
    const written = aspects.find(aspect => aspect.scope === 'USER');
    return (written ?? aspects.find(aspect => !aspect.name.endsWith('Key')))?.name;
  }

  private async _askHistory(aspect: string, cursor?: string): Promise<IHistory> {
    try {
      const page = { urn: this.urn, aspect, limit: VERSIONS_PAGE, cursor };
      return { aspect, problem: null, ...(await this._catalog.call('listVersions', page)) };
    } catch (reason) {
      return { aspect, versions: [], cursor: null, problem: asProblem(reason) };
    }
  }
}
