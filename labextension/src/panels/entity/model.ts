import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { Change, Entity, EntityType, Lineage, MyTeams, Run } from '../../generated/api';
import { getLastPart } from '../../components/labels';
import { ColumnDescriptionEditor } from '../../model/editing/descriptions';
import type { AspectSpec, FormEditor } from '../../model/editing/editor';
import { AspectEditor } from '../../model/editing/editor';
import type { Interval } from '../../model/interval';
import { toBounds } from '../../model/interval';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import type { CatalogProblem } from '../../model/problem';
import { toProblem } from '../../model/problem';
import type { RememberedTabs } from '../../model/remembered-tabs';
import { describeUrn, hasLineage, parseColumnUrn } from '../../model/urns';
import type { ICatalog, IChangeFeed } from '../../tokens';
import type { ColumnMetadata } from './columns/column-metadata';
import { readColumnAspect, readColumnMetadata, readSchemaColumn } from './columns/column-metadata';
import type { IColumn } from './columns/columns';
import type { Contents } from './contents';
import { readContents } from './contents';
import type { INeighbours } from './lineage/neighbours';
import { listNeighbours } from './lineage/neighbours';
import type { IProfile } from './columns/profile';
import { readNewestProfile } from './columns/profile';
import { SCHEMA_ASPECT } from './columns/schema-edits';
import type { IHistory } from './runs/timeline';
import { isCurrent, readHistory } from './runs/timeline';
import type { IField } from './metadata/user-metadata';
import { completeUserMetadata, DESCRIPTION_PROPERTY, USER_ASPECT } from './metadata/user-metadata';

const RUNS_PAGE = 50;
/** Maximum number of relations in the preview of the lineage. */
const PREVIEW_RELATIONS = 200;
/** Maximum number of suggestions for a value. */
const CHOICES = 500;
const CHANGE_PAUSE_MS = 300;

/** A saved edit. */
export interface ISavedEdit {
  /** The name of the entity that was edited. */
  label: string;
  /** The author of changes of other fields that were kept; null if there are none. */
  mergedActor: string | null;
  /** Restores the version before; resolves to whether it was possible. */
  undo: () => Promise<boolean>;
}

/** The state of the page of an entity. */
export interface IEntityState extends ILiveState {
  entity: Entity | null;
  type: EntityType | null;
  mayEdit: boolean;
  /** Whether the user may write what machines record, too. */
  mayRecord: boolean;
  mayDelete: boolean;
  /** The metadata of the columns of a dataset. */
  columns: readonly ColumnMetadata[];
  columnsProblem: CatalogProblem | null;
  /** The newest profile of the data; null if there is none. */
  profile: IProfile | null;
  profileProblem: CatalogProblem | null;
  runs: readonly Run[] | null;
  runsCursor: string | null;
  runsProblem: CatalogProblem | null;
  /** The interval of the listed runs. */
  interval: Interval;
  /** The newest run of the program, or that wrote the data. */
  lastRun: Run | null;
  /** The lineage one level each way; null if it is unknown or the entity has none. */
  lineage: Lineage | null;
  neighbours: INeighbours | null;
  /** What a namespace or an application contains; null if it is unknown. */
  contents: Contents | null;
  /** The column in the schema of its table; null if it is unknown, and for other entities. */
  column: IColumn | null;
  /** The histories of the aspects, by name. */
  histories: ReadonlyMap<string, IHistory>;
  editor: FormEditor | null;
  /** The location of the text that is edited in place; null if a form is open. */
  field: string | null;
  /** The selected tab. */
  tab: string;
}

const EMPTY: IEntityState = {
  entity: null,
  type: null,
  mayEdit: false,
  mayRecord: false,
  mayDelete: false,
  columns: [],
  columnsProblem: null,
  profile: null,
  profileProblem: null,
  runs: null,
  runsCursor: null,
  runsProblem: null,
  interval: { kind: 'all' },
  lastRun: null,
  lineage: null,
  neighbours: null,
  contents: null,
  column: null,
  histories: new Map(),
  editor: null,
  field: null,
  tab: 'overview',
  busy: false,
  problem: null
};

/** Whether a run wrote data. */
function writes(run: Run, urn: string): boolean {
  return run.accesses.some(({ data, mode }) => data === urn && (mode === 'write' || mode === 'both'));
}

/** The model of the page of an entity. */
export class EntityModel extends LiveModel<IEntityState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    readonly urn: string,
    private _tabs: RememberedTabs | null = null
  ) {
    super(feed, { ...EMPTY, tab: _tabs?.read(urn) ?? EMPTY.tab });
  }

  /** Whether there are unsaved changes. */
  get isDirty(): boolean {
    return this.state.editor?.isDirty ?? false;
  }

  /** Emitted when an edit was saved. */
  get saved(): ISignal<this, ISavedEdit> {
    return this._saved;
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
    await Promise.all([
      this._loadRuns(),
      this._loadNeighbours(),
      this._loadHistories(),
      this._loadProfile(),
      this._loadContents(),
      this._loadColumn(),
      this.loadColumns()
    ]);
    return shown;
  }

  /** Selects a tab; it is remembered for the page. */
  selectTab(tab: string): void {
    this._tabs?.write(this.urn, tab);
    this.setState({ tab });
  }

  /** Loads the next page of runs. */
  async loadMoreRuns(): Promise<void> {
    const { runs, runsCursor } = this.state;
    if (runs && runsCursor !== null) {
      const page = await this._readRuns(runsCursor);
      this.setState({ ...page, runs: [...runs, ...(page.runs ?? [])] });
    }
  }

  /** Lists the runs of an interval. */
  async setInterval(interval: Interval): Promise<void> {
    this.setState({ interval, runs: null, runsCursor: null });
    await this._loadRuns();
  }

  /** Loads older versions of all aspects. */
  async loadMoreHistory(): Promise<void> {
    const more = [...this.state.histories.values()].filter(({ cursor }) => cursor !== null);
    await this._updateHistories(more.map(history => readHistory(this._catalog, this.urn, history.aspect, history)));
  }

  /** Writes an earlier version of an aspect again. */
  async restore(spec: AspectSpec, value: ReadonlyJSONObject): Promise<void> {
    await this.change(spec, () => value);
  }

  /** Reads the user and the teams of the user. */
  readMyTeams(): Promise<MyTeams> {
    return this._catalog.call('listMyTeams', {});
  }

  /** Deletes an aspect; its history is kept. A failure becomes the `problem`. */
  async deleteAspect(aspect: string): Promise<void> {
    try {
      await this._catalog.call('deleteAspect', { urn: this.urn, aspect });
      await this.refresh();
    } catch (reason) {
      this.setState({ problem: toProblem(reason) });
    }
  }

  /** Lists values of a key that other entities have; empty if they cannot be read. */
  async listChoices(key: string): Promise<readonly string[]> {
    try {
      const { values } = await this._catalog.call('listValues', { key, limit: CHOICES });
      return values.map(({ value }) => value);
    } catch {
      return [];
    }
  }

  /** Edits a text in place. */
  editField({ spec, pointer }: IField): void {
    this._open(this._createEditor(spec), pointer);
  }

  /** Changes an aspect at once; if it fails, the editor stays open with the problem. */
  async change(spec: AspectSpec, apply: (value: ReadonlyJSONObject) => ReadonlyJSONObject): Promise<void> {
    await this._change(this._createEditor(spec), apply);
  }

  /** Changes the schema of a table at once. */
  async changeSchema(apply: (schema: ReadonlyJSONObject) => ReadonlyJSONObject): Promise<void> {
    const spec = this.state.type?.aspects.find(({ name }) => name === SCHEMA_ASPECT);
    if (spec) {
      await this.change(spec, apply);
    }
  }

  /** Changes the user metadata of a column at once. */
  async changeColumn(urn: string, apply: (value: ReadonlyJSONObject) => ReadonlyJSONObject): Promise<void> {
    const editor = await this._createColumnEditor(urn);
    if (editor) {
      await this._change(editor, value => apply(completeUserMetadata(value)));
    }
  }

  /** Opens the form for an aspect. */
  edit(spec: AspectSpec): void {
    this._open(this._createEditor(spec));
  }

  /** Opens the form for the user metadata of a column, or edits one text of it in place. */
  async editColumn(urn: string, field: string | null = null): Promise<void> {
    const { editor } = this.state;
    const opened = await this._createColumnEditor(urn);
    // Another form may have been opened in the meantime.
    if (opened && this.state.editor === editor && !this.isDisposed) {
      this._open(opened, field);
    }
  }

  /** Edits the description of a column in place, in the aspect that contains it; `title` is the label of the field. */
  async describeColumn(urn: string, title: string, aspect: string): Promise<void> {
    if (aspect === USER_ASPECT) {
      await this.editColumn(urn, DESCRIPTION_PROPERTY);
      return;
    }
    const { editor } = this.state;
    const column = parseColumnUrn(urn);
    try {
      const opened = column && (await ColumnDescriptionEditor.open(this._catalog, { urn, ...column }, title));
      if (opened && this.state.editor === editor && !this.isDisposed) {
        this._open(opened, '/description');
      }
    } catch (reason) {
      this.setState({ columnsProblem: toProblem(reason) });
    }
  }

  /** Closes the form and discards unsaved changes. */
  stopEditing(): void {
    this.state.editor?.dispose();
    this.setState({ editor: null, field: null });
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
    const { scopes } = me;
    return {
      entity,
      type,
      mayEdit: scopes.includes('annotate') || scopes.includes('admin'),
      mayRecord: scopes.includes('emit'),
      mayDelete: scopes.includes('admin')
    };
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

  private _createEditor(spec: AspectSpec): FormEditor {
    const aspect = this.state.entity?.aspects[spec.name];
    const value = (aspect?.value ?? {}) as ReadonlyJSONObject;
    return new AspectEditor(this._catalog, this.urn, spec, {
      version: aspect?.version ?? 0,
      value: spec.name === USER_ASPECT ? completeUserMetadata(value) : value
    });
  }

  /** Creates an editor for the user metadata of a column; null if it fails. */
  private async _createColumnEditor(urn: string): Promise<FormEditor | null> {
    try {
      const [type, base] = await Promise.all([
        this._catalog.call('readEntityType', { type: 'schemaField' }),
        readColumnAspect(this._catalog, urn)
      ]);
      const spec = type.aspects.find(({ name }) => name === USER_ASPECT);
      return spec ? new AspectEditor(this._catalog, urn, spec, base) : null;
    } catch (reason) {
      this.setState({ columnsProblem: toProblem(reason) });
      return null;
    }
  }

  private async _change(editor: FormEditor, apply: (value: ReadonlyJSONObject) => ReadonlyJSONObject): Promise<void> {
    this._open(editor, '');
    editor.edit(apply(editor.base));
    await editor.save();
  }

  private _open(editor: FormEditor, field: string | null = null): void {
    this.state.editor?.dispose();
    editor.changed.connect(() => this.emitChanged());
    editor.saved.connect(() => this._onSaved(editor));
    this.setState({ editor, field });
  }

  private _onSaved(editor: FormEditor): void {
    const undo = editor.createUndo();
    const { mergedActor } = editor.state;
    this.stopEditing();
    void this.refresh();
    this._saved.emit({
      label: getLastPart(describeUrn(editor.urn).name),
      mergedActor,
      undo: async () => {
        await undo?.save();
        void this.refresh();
        return undo?.isDirty === false;
      }
    });
  }

  private async _loadNeighbours(): Promise<void> {
    if (!hasLineage(this.urn)) {
      return;
    }
    try {
      const query = { urn: this.urn, levels: 1, limit: PREVIEW_RELATIONS, columns: true } as const;
      const lineage = await this._catalog.call('readLineage', query);
      // An equal answer keeps the drawing, with its zoom and its focus.
      if (JSON.stringify(lineage) !== JSON.stringify(this.state.lineage)) {
        this.setState({ lineage, neighbours: listNeighbours(lineage) });
      }
    } catch {
      // The preview is omitted; the viewer reports the problem.
      this.setState({ lineage: null, neighbours: null });
    }
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

  private async _loadContents(): Promise<void> {
    const { entity } = this.state;
    if (entity) {
      // Without it, the section is omitted.
      this.setState({ contents: await readContents(this._catalog, entity).catch(() => null) });
    }
  }

  private async _loadColumn(): Promise<void> {
    const column = parseColumnUrn(this.urn);
    if (column) {
      // Without it, the page shows the metadata of the column only.
      this.setState({ column: await readSchemaColumn(this._catalog, column).catch(() => null) });
    }
  }

  private async _loadRuns(): Promise<void> {
    const page = await this._readRuns();
    const isNewest = this.state.interval.kind === 'all';
    const lastRun = page.runs?.find(run => run.program === this.urn || writes(run, this.urn)) ?? null;
    this.setState({ ...page, ...(isNewest ? { lastRun } : {}) });
  }

  private async _readRuns(cursor?: string): Promise<Pick<IEntityState, 'runs' | 'runsCursor' | 'runsProblem'>> {
    const of = this.urn.startsWith('urn:li:dataJob:') ? { program: this.urn } : { data: this.urn };
    try {
      const page = await this._catalog.call('listRuns', {
        ...of,
        ...toBounds(this.state.interval),
        limit: RUNS_PAGE,
        cursor
      });
      return { runs: page.runs, runsCursor: page.cursor, runsProblem: null };
    } catch (reason) {
      return { runs: this.state.runs, runsCursor: null, runsProblem: toProblem(reason) };
    }
  }

  /** Loads the histories of the aspects that have changed. */
  private async _loadHistories(): Promise<void> {
    const { entity, type, histories } = this.state;
    if (!entity) {
      return;
    }
    const keys = new Set(type?.aspects.filter(({ key }) => key).map(({ name }) => name));
    const changed = Object.keys(entity.aspects).filter(
      name => !keys.has(name) && !isCurrent(histories.get(name), entity)
    );
    await this._updateHistories(changed.map(name => readHistory(this._catalog, this.urn, name)));
  }

  private async _updateHistories(loading: readonly Promise<IHistory>[]): Promise<void> {
    const loaded = await Promise.all(loading);
    const histories = new Map(this.state.histories);
    loaded.forEach(history => histories.set(history.aspect, history));
    this.setState({ histories });
  }

  private _saved = new Signal<this, ISavedEdit>(this);
}
