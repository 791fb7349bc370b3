import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { JSONExt } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { DisposableDelegate } from '@lumino/disposable';
import type { Change, Instance, Schemaspaces, Versions } from '../../generated/api';
import type { DraftStorage } from '../../model/editing/drafts';
import type { IVersioned, IAttributedVersion } from '../../model/editing/editor';
import { Editor } from '../../model/editing/editor';
import type { Schema } from '../../model/schemas/form-schema';
import { resolveRefs } from '../../model/schemas/resolve-refs';
import { toDocument, toEdit } from '../../model/instances/instance-document';
import { getInitialValue } from '../../model/instances/instance-schema';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import type { IValidationError } from '../../model/problem';
import { toProblem, CatalogProblem } from '../../model/problem';
import { findSecretPaths, removeSecrets } from '../../model/instances/secrets';
import type { ICatalog, IChangeFeed, IPlugin, ISchemaspaces } from '../../tokens';

const ASPECT = 'instance';
/** One more than is shown at once: the oldest version is the base of comparison for the next one. */
const VERSIONS_PAGE = 11;
/** Represents the plugins among the requested choices; not a JSON Pointer. */
const CHANGE_PAUSE_MS = 300;
const DRAFT_PAUSE_MS = 300;

type Space = Schemaspaces['schemaspaces'][number];

/** The location of an instance: a new one has an empty name, an unknown schema is empty. */
export interface IInstancePlace {
  space: string;
  schema: string;
  name: string;
}

/** The loaded part of the history of an instance. */
export interface IInstanceHistory {
  versions: Versions['versions'];
  cursor: string | null;
  problem: CatalogProblem | null;
}

/** The state of the page of an instance. */
export interface IInstanceState extends ILiveState {
  space: Space | null;
  schema: Schema | null;
  instance: Instance | null;
  editor: Editor | null;
  mayEdit: boolean;
  /** Whether the instance was deleted. */
  removed: boolean;
  history: IInstanceHistory | null;
  /** Number of editors created so far: each has a form of its own. */
  editorCount: number;
  /** When the restored draft was stored; null if no draft was restored. */
  recoveredAt: string | null;
  /** Errors of the stored instance that its schema does not imply. */
  checkErrors: readonly IValidationError[];
  /** Values of other instances by location in `metadata`, as far as requested. */
  choices: ReadonlyMap<string, readonly string[]>;
  /** The plugins for pipeline stages; null until they are loaded. */
  plugins: readonly IPlugin[] | null;
}

const EMPTY: IInstanceState = {
  space: null,
  schema: null,
  instance: null,
  editor: null,
  mayEdit: false,
  removed: false,
  history: null,
  editorCount: 0,
  recoveredAt: null,
  checkErrors: [],
  choices: new Map(),
  plugins: null,
  busy: false,
  problem: null
};

/** The services that the page uses. */
export interface IInstanceSources {
  spaces: ISchemaspaces;
  catalog: ICatalog;
  feed: IChangeFeed | null;
  drafts: DraftStorage;
}

/** The model of the page of an instance, existing or new. */
export class InstanceModel extends LiveModel<IInstanceState> {
  constructor(
    private _sources: IInstanceSources,
    place: IInstancePlace
  ) {
    super(_sources.feed, EMPTY);
    this._place = place;
    window.addEventListener('pagehide', this._saveDraft);
  }

  /** The location of the instance; its name is set by the first save. */
  get place(): IInstancePlace {
    return this._place;
  }

  /** Whether there are unsaved changes. */
  get isDirty(): boolean {
    return this.state.editor?.isDirty ?? false;
  }

  /** Whether the instance has never been saved. */
  get isNew(): boolean {
    return this._place.name === '';
  }

  /** The operations of the server, for parts of the page with a model of their own. */
  get catalog(): ICatalog {
    return this._sources.catalog;
  }

  get feed(): IChangeFeed | null {
    return this._sources.feed;
  }

  get urn(): string {
    const { space, name } = this._place;
    return this.state.instance?.urn ?? `urn:li:instance:(${space},${name})`;
  }

  override dispose(): void {
    if (!this.isDisposed) {
      window.removeEventListener('pagehide', this._saveDraft);
      this._saveDraft();
      this.state.editor?.dispose();
      super.dispose();
    }
  }

  override show(): void {
    super.show();
    this._followers.forEach(follower => follower.show());
  }

  override hide(): void {
    super.hide();
    this._followers.forEach(follower => follower.hide());
  }

  /** Shows and hides the model of a part of the page with this one, until the result is disposed. */
  addFollower(follower: Pick<LiveModel<ILiveState>, 'show' | 'hide'>): IDisposable {
    this._followers.add(follower);
    if (this.isShown) {
      follower.show();
    }
    return new DisposableDelegate(() => this._followers.delete(follower));
  }

  override async refresh(): Promise<boolean> {
    const shown = await super.refresh();
    if (this.state.problem?.kind === 'not-found' && this.state.space) {
      this.setState({ removed: true, problem: null });
    }
    if (!this.isNew) {
      await this._loadHistory();
    }
    return shown;
  }

  /** Saves the draft. */
  async save(): Promise<void> {
    await this.state.editor?.save();
  }

  /** Discards unsaved changes, including the stored draft. */
  discard(): void {
    this.state.editor?.discard();
    this._deleteDraft();
  }

  /** Sets the schema of an instance that has none. */
  async chooseSchema(schema: string): Promise<void> {
    this._place = { ...this._place, schema };
    this.state.editor?.dispose();
    this.setState({ editor: null });
    await this.refresh();
  }

  /** Restores an earlier version; also undoes a deletion. */
  async restore(version: number): Promise<void> {
    const { space, name } = this._place;
    try {
      const instance = await this._sources.spaces.restoreVersion(space, name, version);
      this._deleteDraft();
      this.state.editor?.dispose();
      this.setState({ editor: null, instance, removed: false, problem: null });
      await this.refresh();
    } catch (reason) {
      this.setState({ problem: toProblem(reason) });
    }
  }

  /** Loads the next page of the history. */
  async loadMoreHistory(): Promise<void> {
    const { history } = this.state;
    if (history?.cursor) {
      const page = await this._readHistory(history.cursor);
      this.setState({ history: { ...page, versions: [...history.versions, ...page.versions] } });
    }
  }

  /** Loads the values of other instances at a location of `metadata`, once. */
  loadChoices(pointer: string): void {
    if (!this._requested.has(pointer)) {
      this._requested.add(pointer);
      void this._fetchChoices(pointer);
    }
  }

  /** Loads the plugins for pipeline stages of a namespace, once; without them, properties are edited as JSON. */
  loadPlugins(namespace: string): void {
    if (this._pluginsOf !== namespace) {
      this._pluginsOf = namespace;
      this._sources.spaces.listPlugins(namespace).then(
        plugins => {
          if (this._pluginsOf === namespace) {
            this.setState({ plugins });
          }
        },
        () => {
          this._pluginsOf = null;
        }
      );
    }
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IInstanceState>> {
    const { spaces, catalog } = this._sources;
    const { space: spaceName, name } = this._place;
    const [all, me] = await Promise.all([spaces.listSchemaspaces(), catalog.call('readMe', {})]);
    const space =
      all.schemaspaces.find(candidate => [candidate.name, candidate.id].includes(spaceName.toLowerCase())) ?? null;
    const mayEdit = me.scopes.includes('admin');
    // Shown even if the following requests fail.
    this.setState({ space, mayEdit });
    const instance = name === '' ? null : await spaces.readInstance(spaceName, name);
    const schema = await this._readSchema(instance);
    if (!signal.aborted) {
      this._syncEditor(instance, schema);
      void this._loadCheckErrors(instance);
    }
    return { instance, schema, removed: false };
  }

  protected override onChanges(changes: readonly Change[]): void {
    const newest = changes.filter(change => change.urn === this.urn && change.aspect === ASPECT).at(-1);
    if (!newest || this.isNew) {
      return;
    }
    if (newest.operation === 'delete') {
      this.setState({ removed: true });
    } else {
      this.state.editor?.onNewVersion(newest.version, newest.actor);
    }
    this.scheduleRefresh(CHANGE_PAUSE_MS);
  }

  /** Reads the schema of an instance, else the requested one; null if neither exists. */
  private async _readSchema(instance: Instance | null): Promise<Schema | null> {
    const { space, schema } = this._place;
    for (const name of new Set([instance?.schema_name ?? schema, schema])) {
      try {
        if (name !== '' && !name.startsWith('{')) {
          const body = (await this._sources.spaces.readSchema(space, name)) as Schema;
          this._place = { ...this._place, schema: name };
          return body;
        }
      } catch (reason) {
        if (toProblem(reason).kind !== 'not-found') {
          throw reason;
        }
      }
    }
    return null;
  }

  /** Creates the editor, or notifies the existing one of a new version. */
  private _syncEditor(instance: Instance | null, schema: Schema | null): void {
    const { editor } = this.state;
    if (editor) {
      if (instance?.version && instance.version !== editor.version) {
        editor.onNewVersion(instance.version, '');
      }
    } else if (schema) {
      this._createEditor(instance, schema);
    }
  }

  private _createEditor(instance: Instance | null, schema: Schema): void {
    this._secretPaths = findSecretPaths(resolveRefs(schema));
    const initial = (getInitialValue(resolveRefs(schema)) ?? {}) as ReadonlyJSONObject;
    const blank = { metadata: {}, ...initial, schema_name: this._place.schema };
    const value = instance ? toDocument(instance) : blank;
    const home = { read: () => this._readVersion(), write: this._writeVersion };
    const editor = new Editor(home, { version: instance ? instance.version : 0, value });
    if (instance && instance.schema_name !== this._place.schema) {
      // The instance cannot be kept unchanged: its conversion is an edit.
      const metadata = { ...blank.metadata, ...instance.metadata } as ReadonlyJSONObject;
      editor.edit({ ...blank, display_name: instance.display_name || instance.name, metadata });
    }
    if (instance && !instance.valid) {
      editor.revealErrors();
    }
    const recoveredAt = this._resumeDraft(editor);
    this.setState({ editor, recoveredAt, editorCount: this.state.editorCount + 1 });
    editor.changed.connect(this._onEdit, this);
  }

  /** Restores the draft from before a reload; returns when it was stored. */
  private _resumeDraft(editor: Editor): string | null {
    const stored = this._sources.drafts.read(this._draftKey);
    if (!stored || JSONExt.deepEqual(stored.draft, editor.base)) {
      return null;
    }
    editor.resume(stored.draft, stored.version);
    return stored.time;
  }

  private async _readVersion(): Promise<IAttributedVersion> {
    const { space, name } = this._place;
    const instance = await this._sources.spaces.readInstance(space, name);
    const [newest] = (await this._readHistory(undefined, 1)).versions;
    this.setState({ instance, removed: false });
    return {
      version: instance.version,
      value: toDocument(instance),
      actor: newest?.actor ?? '',
      time: newest?.time ?? instance.time ?? ''
    };
  }

  private _writeVersion = async (value: ReadonlyJSONObject, version: number | null): Promise<IVersioned> => {
    const { space, name } = this._place;
    const instance =
      this.isNew || this.state.removed || version === 0
        ? await this._create(value)
        : await this._sources.spaces.replaceInstance(space, name, toEdit(value, name), version);
    this._place = { ...this._place, name: instance.name };
    this._sources.drafts.remove(this._draftKey);
    this.setState({ instance, removed: false, recoveredAt: null });
    void this._loadHistory();
    void this._loadCheckErrors(instance);
    return { version: instance.version, value: toDocument(instance) };
  };

  private async _create(value: ReadonlyJSONObject): Promise<Instance> {
    const { space, name } = this._place;
    const { drafts, spaces } = this._sources;
    try {
      const instance = await spaces.createInstance(space, toEdit(value, name));
      drafts.remove(this._draftKey);
      return instance;
    } catch (reason) {
      const problem = toProblem(reason);
      if (problem.status !== 409) {
        throw problem;
      }
      // The name is derived from the display name, unless it was set.
      const pointer = 'name' in value ? '/name' : '/display_name';
      throw new CatalogProblem('invalid', problem.message, 409, [{ pointer, message: problem.message }]);
    }
  }

  /** Loads errors of the stored instance that its schema does not imply; a failure counts as none. */
  private async _loadCheckErrors(instance: Instance | null): Promise<void> {
    const { space } = this.state;
    const request = space && instance?.valid ? this._sources.spaces.checkInstance(space.name, instance.name) : [];
    const checkErrors = await Promise.resolve(request).catch(() => []);
    if (this.state.instance?.version === instance?.version) {
      this.setState({ checkErrors });
    }
  }

  private async _loadHistory(): Promise<void> {
    const history = await this._readHistory();
    this.setState({ history });
  }

  private async _readHistory(cursor?: string, limit = VERSIONS_PAGE): Promise<IInstanceHistory> {
    try {
      const of = { urn: this.urn, aspect: ASPECT };
      return { problem: null, ...(await this._sources.catalog.call('listVersions', { ...of, limit, cursor })) };
    } catch (reason) {
      const problem = toProblem(reason);
      return { versions: [], cursor: null, problem: problem.kind === 'not-found' ? null : problem };
    }
  }

  private async _fetchChoices(pointer: string): Promise<void> {
    const { space, schema } = this._place;
    try {
      const { values } = await this._sources.spaces.listValues(space, schema, pointer);
      const words = values.map(({ value }) => String(value));
      this.setState({ choices: new Map([...this.state.choices, [pointer, words]]) });
    } catch {
      // Suggestions are optional.
    }
  }

  private get _draftKey(): string {
    const { space, schema, name } = this._place;
    return JSON.stringify([space.toLowerCase(), schema, name]);
  }

  private _onEdit(): void {
    this.emitChanged();
    window.clearTimeout(this._pause);
    this._pause = window.setTimeout(this._saveDraft, DRAFT_PAUSE_MS);
  }

  /** Stores the draft, without its secrets, for a reload. */
  private _saveDraft = (): void => {
    window.clearTimeout(this._pause);
    const { editor } = this.state;
    if (!editor || editor.isDisposed) {
      return;
    }
    const draft = removeSecrets(editor.state.draft, editor.base, this._secretPaths);
    if (JSONExt.deepEqual(draft, editor.base)) {
      this._sources.drafts.remove(this._draftKey);
    } else {
      const time = new Date().toISOString();
      this._sources.drafts.write(this._draftKey, { draft, version: editor.version, time });
    }
  };

  private _deleteDraft(): void {
    window.clearTimeout(this._pause);
    this._sources.drafts.remove(this._draftKey);
    this.setState({ recoveredAt: null });
  }

  private _place: IInstancePlace;
  private _secretPaths: readonly (readonly string[])[] = [];
  private _requested = new Set<string>();
  /** The namespace whose plugins were requested last; null for none. */
  private _pluginsOf: string | null = null;
  private _followers = new Set<Pick<LiveModel<ILiveState>, 'show' | 'hide'>>();
  private _pause = 0;
}
