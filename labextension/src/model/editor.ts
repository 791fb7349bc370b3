import type { IDisposable } from '@lumino/disposable';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { JSONExt } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { Aspect, EntityType } from '../generated/api';
import type { ICatalog } from '../tokens';
import { isWithin } from './pointer';
import type { CatalogProblem, IFault } from './problem';
import { asProblem } from './problem';
import { writeAspect } from './write-aspect';

/** The description of one aspect, as the registry gives it. */
export type AspectSpec = EntityType['aspects'][number];

/** A value and which version it is: 0 where there is none yet, null where nobody knows. */
export interface IVersioned {
  version: number | null;
  value: ReadonlyJSONObject;
}

/** A version with who wrote it. */
export interface IWritten extends IVersioned {
  actor: string;
  time: string;
}

/** Where a draft comes from and goes to. Both reject with a `CatalogProblem`. */
export interface IDraftHome {
  read(): Promise<IWritten>;
  /** Writes over the version that was read, else the problem is a conflict; tells what is there now, if that is known. */
  write(value: ReadonlyJSONObject, version: number | null): Promise<IVersioned | null>;
}

/** What the form shows. */
export interface IEditorState {
  draft: ReadonlyJSONObject;
  /** Places a person has been at: only there faults are shown before the first try to save. */
  touched: ReadonlySet<string>;
  submitted: boolean;
  /** Faults the server found in what was sent. */
  refused: readonly IFault[];
  /** Faults of an input that cannot be written into the draft, such as two equal keys; by place. */
  blocked: ReadonlyMap<string, readonly IFault[]>;
  /** Somebody else's version, in the way of a save. */
  conflict: IWritten | null;
  /** Who wrote a newer version while the form was open. */
  newer: string | null;
  saving: boolean;
  problem: CatalogProblem | null;
}

/** Checks a draft; the form gives the one made from the schema. */
export type Check = (draft: ReadonlyJSONObject) => readonly IFault[];

/** A document being edited: a draft upon the version that was read. */
export class Editor implements IDisposable {
  constructor(
    private _home: IDraftHome,
    base: IVersioned
  ) {
    this._version = base.version;
    this._base = base.value;
    this._state = {
      draft: this._base,
      touched: new Set(),
      submitted: false,
      refused: [],
      blocked: new Map(),
      conflict: null,
      newer: null,
      saving: false,
      problem: null
    };
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Emitted when the draft became a version. */
  get saved(): ISignal<this, void> {
    return this._saved;
  }

  get state(): IEditorState {
    return this._state;
  }

  /** The version that the draft is made upon. */
  get version(): number | null {
    return this._version;
  }

  /** What was read. */
  get base(): ReadonlyJSONObject {
    return this._base;
  }

  /** Whether the draft differs from what was read. */
  get dirty(): boolean {
    return this._state.blocked.size > 0 || !JSONExt.deepEqual(this._state.draft, this._base);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    Signal.clearData(this);
  }

  /** Takes the check made from the schema. */
  checkWith(check: Check): void {
    this._check = check;
  }

  /** Fills in what a form begins with; for a person nothing is changed by that. */
  begin(fill: (value: ReadonlyJSONObject) => ReadonlyJSONObject): void {
    this._fill = fill;
    this._base = fill(this._base);
    this.edit(fill(this._state.draft));
  }

  /** Another draft. What the server refused is forgotten where it was changed. */
  edit(draft: ReadonlyJSONObject): void {
    if (!JSONExt.deepEqual(draft, this._state.draft)) {
      this._set({ draft, refused: [] });
    }
  }

  /** The person has been at this place and went on. */
  touch(pointer: string): void {
    if (!this._state.touched.has(pointer)) {
      this._set({ touched: new Set([...this._state.touched, pointer]) });
    }
  }

  /** Shows every fault at once, as after a try to save: of what was not right from the beginning. */
  reveal(): void {
    this._set({ submitted: true });
  }

  /** Says what cannot be written into the draft at a place; nothing when it can again. */
  block(pointer: string, faults: readonly IFault[]): void {
    if (faults.length === 0 && !this._state.blocked.has(pointer)) {
      return;
    }
    const blocked = new Map(this._state.blocked);
    if (faults.length === 0) {
      blocked.delete(pointer);
    } else {
      blocked.set(pointer, faults);
    }
    this._set({ blocked });
  }

  /** The faults to show now. */
  faults(): IFault[] {
    const { touched, submitted, refused } = this._state;
    const seen = this._found().filter(
      fault => submitted || [...touched].some(pointer => isWithin(fault.pointer, pointer))
    );
    const known = new Set(seen.map(fault => fault.pointer));
    return [...seen, ...refused.filter(fault => !known.has(fault.pointer))];
  }

  /** Saves the draft, unless it is known to be wrong. */
  async save(): Promise<void> {
    this._set({ submitted: true });
    if (this._state.saving || this._found().length > 0) {
      return;
    }
    const sent = this._state.draft;
    this._set({ saving: true, problem: null, refused: [] });
    try {
      this._keep(sent, await this._home.write(sent, this._version));
      this._saved.emit();
    } catch (reason) {
      await this._refused(asProblem(reason));
    }
  }

  /** Goes on with a draft that was made upon some version, perhaps an older one: then saving shows both. */
  resume(draft: ReadonlyJSONObject, version: number | null): void {
    const newer = version === this._version ? null : '';
    this._version = version;
    this._set({ draft, newer });
  }

  /** Drops what was typed, and takes over what is newer. */
  discard(): void {
    const { newer } = this._state;
    const untouched = { blocked: new Map(), touched: new Set<string>(), submitted: false };
    this._set({ ...untouched, draft: this._base, refused: [], problem: null });
    if (newer !== null) {
      void this._reload(newer);
    }
  }

  /** Ends a conflict: my draft goes over theirs, or theirs becomes the draft. */
  async resolve(winner: 'mine' | 'theirs'): Promise<void> {
    const { conflict } = this._state;
    if (!conflict) {
      return;
    }
    this._version = conflict.version;
    this._base = conflict.value;
    const draft = winner === 'theirs' ? conflict.value : this._state.draft;
    this._set({ conflict: null, newer: null, draft, blocked: new Map() });
    if (winner === 'mine') {
      await this.save();
    }
  }

  /** A newer version was seen in the change log: an untouched form takes it over, a touched one says so. */
  noticed(version: number, actor: string): void {
    if (version <= (this._version ?? 0) || this._state.saving || this._state.conflict) {
      return;
    }
    if (this.dirty) {
      // Who it was may be known already.
      this._set({ newer: actor === '' ? (this._state.newer ?? '') : actor });
    } else {
      void this._reload(actor);
    }
  }

  /** Begins again with what the catalog has now, unless somebody has begun to type meanwhile. */
  private async _reload(actor: string): Promise<void> {
    try {
      const { version, value } = await this._home.read();
      if (this.dirty || this._state.saving) {
        this._set({ newer: actor });
      } else {
        this._version = version;
        this._base = this._fill(value);
        this._set({ draft: this._base, newer: null });
      }
    } catch {
      // Saving will say what the matter is; until then it is enough to know of it.
      this._set({ newer: actor });
    }
  }

  /** What was sent is what is there; somebody may have typed on meanwhile. */
  private _keep(sent: ReadonlyJSONObject, kept: IVersioned | null): void {
    const typedOn = this._state.draft !== sent;
    this._version = kept ? kept.version : this._version;
    this._base = kept ? kept.value : sent;
    const draft = typedOn ? this._state.draft : this._base;
    this._set({ saving: false, conflict: null, newer: null, draft });
  }

  /** Every fault that can be found without the server. */
  private _found(): IFault[] {
    const { draft, blocked } = this._state;
    return [...this._check(draft), ...[...blocked.values()].flat()];
  }

  private async _refused(problem: CatalogProblem): Promise<void> {
    if (problem.kind === 'invalid' && problem.faults.length > 0) {
      this._set({ saving: false, refused: problem.faults });
    } else if (problem.kind === 'conflict') {
      await this._meet();
    } else {
      this._set({ saving: false, problem });
    }
  }

  /** Looks up what the other one wrote. */
  private async _meet(): Promise<void> {
    try {
      this._set({ saving: false, conflict: await this._home.read() });
    } catch (reason) {
      const problem = asProblem(reason);
      // They deleted it: then there is nothing to go over, and the next save makes it anew.
      if (problem.kind === 'absent') {
        this._version = 0;
      }
      this._set({ saving: false, problem });
    }
  }

  private _set(change: Partial<IEditorState>): void {
    this._state = { ...this._state, ...change };
    if (!this._isDisposed) {
      this._changed.emit();
    }
  }

  private _state: IEditorState;
  private _version: number | null;
  private _base: ReadonlyJSONObject;
  private _check: Check = () => [];
  private _fill = (value: ReadonlyJSONObject): ReadonlyJSONObject => value;
  private _changed = new Signal<this, void>(this);
  private _saved = new Signal<this, void>(this);
  private _isDisposed = false;
}

/** An aspect of an entity, as the home of a draft. */
class AspectHome implements IDraftHome {
  constructor(
    private _catalog: ICatalog,
    private _urn: string,
    private _aspect: string
  ) {}

  read(): Promise<IWritten> {
    return this._catalog.call('readAspect', { urn: this._urn, aspect: this._aspect });
  }

  async write(value: ReadonlyJSONObject, version: number | null): Promise<null> {
    await writeAspect(this._catalog, this._urn, this._aspect, value, version ?? 0);
    return null;
  }
}

/** A draft with a form made from a schema: of an aspect, or of a part of one. */
export type FormEditor = Editor & { readonly urn: string; readonly spec: AspectSpec };

/** One aspect being edited. */
export class AspectEditor extends Editor {
  constructor(
    catalog: ICatalog,
    readonly urn: string,
    readonly spec: AspectSpec,
    base: Pick<Aspect, 'version' | 'value'> | null
  ) {
    super(new AspectHome(catalog, urn, spec.name), base ?? { version: 0, value: {} });
  }
}
