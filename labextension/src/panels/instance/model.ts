import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { JSONExt } from '@lumino/coreutils';
import type { Change, Instance, Schemaspaces, Versions } from '../../generated/api';
import type { Drafts } from '../../model/drafts';
import type { IVersioned, IWritten } from '../../model/editor';
import { Editor } from '../../model/editor';
import type { Schema } from '../../model/form-schema';
import { inlined } from '../../model/inlining';
import { documentOf, editOf } from '../../model/instance-document';
import { beginning } from '../../model/instance-schema';
import type { ILiveState } from '../../model/live-model';
import { LiveModel } from '../../model/live-model';
import type { IFault } from '../../model/problem';
import { asProblem, CatalogProblem } from '../../model/problem';
import { secretPlaces, withoutSecrets } from '../../model/secrets';
import type { ICatalog, IChangeFeed, IPlugin, ISchemaspaces } from '../../tokens';

const ASPECT = 'instance';
/** One more than is shown at once: the oldest is what the one after it is compared with. */
const VERSIONS_PAGE = 11;
/** Stands for the plugins among what was asked for; no JSON Pointer. */
const PLUGINS = 'plugins';
const CHANGE_PAUSE_MS = 300;
const DRAFT_PAUSE_MS = 300;

type Space = Schemaspaces['schemaspaces'][number];

/** Which instance: an empty name for one that is new, an empty schema where it is not known yet. */
export interface IInstancePlace {
  space: string;
  schema: string;
  name: string;
}

/** The history of an instance, as far as it was loaded. */
export interface IInstanceHistory {
  versions: Versions['versions'];
  cursor: string | null;
  problem: CatalogProblem | null;
}

/** What the page of an instance shows. */
export interface IInstanceState extends ILiveState {
  space: Space | null;
  schema: Schema | null;
  instance: Instance | null;
  editor: Editor | null;
  mayEdit: boolean;
  /** It was there, and is not any more. */
  removed: boolean;
  history: IInstanceHistory | null;
  /** Counts the editors: each has a form of its own. */
  edition: number;
  /** When the draft was put down that came back after a reload; null where none did. */
  recovered: string | null;
  /** What is wrong with what is saved, although it satisfies its schema. */
  findings: readonly IFault[];
  /** What other instances have at a place of `metadata`, as far as somebody asked. */
  choices: ReadonlyMap<string, readonly string[]>;
  /** What stages of pipelines can do; null until somebody asked and the server answered. */
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
  edition: 0,
  recovered: null,
  findings: [],
  choices: new Map(),
  plugins: null,
  busy: false,
  problem: null
};

/** What the page needs of the outside. */
export interface IInstanceSources {
  spaces: ISchemaspaces;
  catalog: ICatalog;
  feed: IChangeFeed | null;
  drafts: Drafts;
}

/** State of the page of one instance, and of one that is being made. */
export class InstanceModel extends LiveModel<IInstanceState> {
  constructor(
    private _sources: IInstanceSources,
    place: IInstancePlace
  ) {
    super(_sources.feed, EMPTY);
    this._place = place;
    window.addEventListener('pagehide', this._putDown);
  }

  /** Which instance this is; its name comes with the first save. */
  get place(): IInstancePlace {
    return this._place;
  }

  /** Whether something was typed that is not saved. */
  get dirty(): boolean {
    return this.state.editor?.dirty ?? false;
  }

  /** Whether this is not saved yet. */
  get isNew(): boolean {
    return this._place.name === '';
  }

  get urn(): string {
    const { space, name } = this._place;
    return this.state.instance?.urn ?? `urn:li:instance:(${space},${name})`;
  }

  override dispose(): void {
    if (!this.isDisposed) {
      window.removeEventListener('pagehide', this._putDown);
      this._putDown();
      this.state.editor?.dispose();
      super.dispose();
    }
  }

  override async refresh(): Promise<boolean> {
    const shown = await super.refresh();
    if (this.state.problem?.kind === 'absent' && this.state.space) {
      this.set({ removed: true, problem: null });
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

  /** Drops what was typed, also what would come back after a reload. */
  discard(): void {
    this.state.editor?.discard();
    this._forget();
  }

  /** Says of which schema this is to be, where the instance does not. */
  async chooseSchema(schema: string): Promise<void> {
    this._place = { ...this._place, schema };
    this.state.editor?.dispose();
    this.set({ editor: null });
    await this.refresh();
  }

  /** Makes an earlier version the present one; also undoes a removal. */
  async restore(version: number): Promise<void> {
    const { space, name } = this._place;
    try {
      const instance = await this._sources.spaces.restore(space, name, version);
      this._forget();
      this.state.editor?.dispose();
      this.set({ editor: null, instance, removed: false, problem: null });
      await this.refresh();
    } catch (reason) {
      this.set({ problem: asProblem(reason) });
    }
  }

  /** The next page of the history. */
  async moreHistory(): Promise<void> {
    const { history } = this.state;
    if (history?.cursor) {
      const page = await this._askHistory(history.cursor);
      this.set({ history: { ...page, versions: [...history.versions, ...page.versions] } });
    }
  }

  /** Asks once what other instances have at a place of `metadata`. */
  offer(pointer: string): void {
    if (!this._asked.has(pointer)) {
      this._asked.add(pointer);
      void this._loadChoices(pointer);
    }
  }

  /** Asks once what stages of pipelines can do; without an answer their properties are edited as JSON. */
  loadPlugins(): void {
    if (!this._asked.has(PLUGINS)) {
      this._asked.add(PLUGINS);
      this._sources.spaces.plugins().then(
        plugins => this.set({ plugins }),
        () => this._asked.delete(PLUGINS)
      );
    }
  }

  protected override async ask(signal: AbortSignal): Promise<Partial<IInstanceState>> {
    const { spaces, catalog } = this._sources;
    const { space: wanted, name } = this._place;
    const [all, me] = await Promise.all([spaces.all(), catalog.call('readMe', {})]);
    const space = all.schemaspaces.find(one => [one.name, one.id].includes(wanted.toLowerCase())) ?? null;
    const mayEdit = me.scopes.includes('admin');
    // What is known already is shown also where the rest fails.
    this.set({ space, mayEdit });
    const instance = name === '' ? null : await spaces.instance(wanted, name);
    const schema = await this._schemaFor(instance);
    if (!signal.aborted) {
      this._meet(instance, schema);
      void this._look(instance);
    }
    return { instance, schema, removed: false };
  }

  protected override heard(changes: readonly Change[]): void {
    const newest = changes.filter(change => change.urn === this.urn && change.aspect === ASPECT).at(-1);
    if (!newest || this.isNew) {
      return;
    }
    if (newest.operation === 'delete') {
      this.set({ removed: true });
    } else {
      this.state.editor?.noticed(newest.version, newest.actor);
    }
    this.refreshSoon(CHANGE_PAUSE_MS);
  }

  /** The schema of an instance, else the one that was asked for; null where neither is there. */
  private async _schemaFor(instance: Instance | null): Promise<Schema | null> {
    const { space, schema } = this._place;
    for (const name of new Set([instance?.schema_name ?? schema, schema])) {
      try {
        if (name !== '' && !name.startsWith('{')) {
          const found = (await this._sources.spaces.schema(space, name)) as Schema;
          this._place = { ...this._place, schema: name };
          return found;
        }
      } catch (reason) {
        if (asProblem(reason).kind !== 'absent') {
          throw reason;
        }
      }
    }
    return null;
  }

  /** Begins to edit what is there, or tells the form that goes on of it. */
  private _meet(instance: Instance | null, schema: Schema | null): void {
    const { editor } = this.state;
    if (editor) {
      if (instance?.version && instance.version !== editor.version) {
        editor.noticed(instance.version, '');
      }
    } else if (schema) {
      this._begin(instance, schema);
    }
  }

  private _begin(instance: Instance | null, schema: Schema): void {
    this._places = secretPlaces(inlined(schema));
    const begun = (beginning(inlined(schema)) ?? {}) as ReadonlyJSONObject;
    const blank = { metadata: {}, ...begun, schema_name: this._place.schema };
    const value = instance ? documentOf(instance) : blank;
    const home = { read: () => this._read(), write: this._write };
    const editor = new Editor(home, { version: instance ? instance.version : 0, value });
    if (instance && instance.schema_name !== this._place.schema) {
      // It cannot stay as it is: what is offered instead is a change in itself.
      const metadata = { ...blank.metadata, ...instance.metadata } as ReadonlyJSONObject;
      editor.edit({ ...blank, display_name: instance.display_name || instance.name, metadata });
    }
    if (instance && !instance.valid) {
      editor.reveal();
    }
    const recovered = this._resume(editor);
    this.set({ editor, recovered, edition: this.state.edition + 1 });
    editor.changed.connect(this._typed, this);
  }

  /** Goes on with what was typed before a reload; the answer is when that was. */
  private _resume(editor: Editor): string | null {
    const stored = this._sources.drafts.read(this._key);
    if (!stored || JSONExt.deepEqual(stored.draft, editor.base)) {
      return null;
    }
    editor.resume(stored.draft, stored.version);
    return stored.time;
  }

  private async _read(): Promise<IWritten> {
    const { space, name } = this._place;
    const instance = await this._sources.spaces.instance(space, name);
    const [newest] = (await this._askHistory(undefined, 1)).versions;
    this.set({ instance, removed: false });
    return {
      version: instance.version,
      value: documentOf(instance),
      actor: newest?.actor ?? '',
      time: newest?.time ?? instance.time ?? ''
    };
  }

  private _write = async (value: ReadonlyJSONObject, version: number | null): Promise<IVersioned> => {
    const { space, name } = this._place;
    const instance =
      this.isNew || this.state.removed || version === 0
        ? await this._create(value)
        : await this._sources.spaces.replace(space, name, editOf(value, name), version);
    this._place = { ...this._place, name: instance.name };
    this._sources.drafts.remove(this._key);
    this.set({ instance, removed: false, recovered: null });
    void this._loadHistory();
    void this._look(instance);
    return { version: instance.version, value: documentOf(instance) };
  };

  private async _create(value: ReadonlyJSONObject): Promise<Instance> {
    const { space, name } = this._place;
    const { drafts, spaces } = this._sources;
    try {
      const made = await spaces.create(space, editOf(value, name));
      drafts.remove(this._key);
      return made;
    } catch (reason) {
      const problem = asProblem(reason);
      if (problem.status !== 409) {
        throw problem;
      }
      // The name is made of the display name, unless one was given.
      const pointer = 'name' in value ? '/name' : '/display_name';
      throw new CatalogProblem('invalid', problem.message, 409, [{ pointer, message: problem.message }]);
    }
  }

  /** Asks what is wrong with what is saved, beyond its schema; without an answer nothing is known to be. */
  private async _look(instance: Instance | null): Promise<void> {
    const { space } = this.state;
    const asked = space && instance?.valid ? this._sources.spaces.findings(space.name, instance.name) : [];
    const findings = await Promise.resolve(asked).catch(() => []);
    if (this.state.instance?.version === instance?.version) {
      this.set({ findings });
    }
  }

  private async _loadHistory(): Promise<void> {
    const history = await this._askHistory();
    this.set({ history });
  }

  private async _askHistory(cursor?: string, limit = VERSIONS_PAGE): Promise<IInstanceHistory> {
    try {
      const of = { urn: this.urn, aspect: ASPECT };
      return { problem: null, ...(await this._sources.catalog.call('listVersions', { ...of, limit, cursor })) };
    } catch (reason) {
      const problem = asProblem(reason);
      return { versions: [], cursor: null, problem: problem.kind === 'absent' ? null : problem };
    }
  }

  private async _loadChoices(pointer: string): Promise<void> {
    const { space, schema } = this._place;
    try {
      const { values } = await this._sources.spaces.values(space, schema, pointer);
      const words = values.map(({ value }) => String(value));
      this.set({ choices: new Map([...this.state.choices, [pointer, words]]) });
    } catch {
      // Only an offer: without it one types by oneself.
    }
  }

  private get _key(): string {
    const { space, schema, name } = this._place;
    return JSON.stringify([space.toLowerCase(), schema, name]);
  }

  private _typed(): void {
    this.announce();
    window.clearTimeout(this._pause);
    this._pause = window.setTimeout(this._putDown, DRAFT_PAUSE_MS);
  }

  /** Puts the draft down where a reload finds it, without what is secret in it. */
  private _putDown = (): void => {
    window.clearTimeout(this._pause);
    const { editor } = this.state;
    if (!editor || editor.isDisposed) {
      return;
    }
    const draft = withoutSecrets(editor.state.draft, editor.base, this._places);
    if (JSONExt.deepEqual(draft, editor.base)) {
      this._sources.drafts.remove(this._key);
    } else {
      const time = new Date().toISOString();
      this._sources.drafts.write(this._key, { draft, version: editor.version, time });
    }
  };

  private _forget(): void {
    window.clearTimeout(this._pause);
    this._sources.drafts.remove(this._key);
    this.set({ recovered: null });
  }

  private _place: IInstancePlace;
  private _places: readonly (readonly string[])[] = [];
  private _asked = new Set<string>();
  private _pause = 0;
}
