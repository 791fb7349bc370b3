import type { IDisposable } from '@lumino/disposable';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { JSONExt } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { Aspect, EntityType } from '../../generated/api';
import type { ICatalog } from '../../tokens';
import type { IFieldConflict, Winner } from './merge-conflict';
import { mergeVersions } from './merge-conflict';
import { isWithin } from '../schemas/pointer';
import type { CatalogProblem, IValidationError } from '../problem';
import { toProblem } from '../problem';
import { writeAspect } from './write-aspect';

/** The description of an aspect in the registry. */
export type AspectSpec = EntityType['aspects'][number];

/** A value with its version: 0 if it does not exist yet, null if it is unknown. */
export interface IVersioned {
  version: number | null;
  value: ReadonlyJSONObject;
}

/** A version with its author and time. */
export interface IAttributedVersion extends IVersioned {
  actor: string;
  time: string;
}

/** A version of another user, and the fields in which it conflicts with the draft. */
interface IEditConflict extends IAttributedVersion {
  fields: readonly IFieldConflict[];
}

/** Number of attempts to save while others keep changing the document. */
const MAX_ATTEMPTS = 4;

/** Reads and writes the document of a draft. Both methods reject with a `CatalogProblem`. */
export interface IDraftStore {
  read(): Promise<IAttributedVersion>;
  /** Replaces the version that was read; otherwise, it rejects with a conflict. Resolves to the new state, if known. */
  write(value: ReadonlyJSONObject, version: number | null): Promise<IVersioned | null>;
}

/** The state of a form. */
export interface IEditorState {
  draft: ReadonlyJSONObject;
  /** Locations that the user has left: before the first attempt to save, only their errors are shown. */
  touched: ReadonlySet<string>;
  submitted: boolean;
  /** Errors that the server found in the last attempt to save. */
  serverErrors: readonly IValidationError[];
  /** Errors of inputs that cannot be written into the draft, such as duplicate keys, by location. */
  inputErrors: ReadonlyMap<string, readonly IValidationError[]>;
  /** The version of another user, if it changed the same fields as the draft. */
  conflict: IEditConflict | null;
  /** The author of changes of other fields that were kept; null if there are none. */
  mergedActor: string | null;
  /** The author of a newer version written while the form was open; null if there is none. */
  newerActor: string | null;
  saving: boolean;
  problem: CatalogProblem | null;
}

/** Checks a draft against its schema. */
export type Check = (draft: ReadonlyJSONObject) => readonly IValidationError[];

/** An editor for a document: a draft based on the version that was read. */
export class Editor implements IDisposable {
  constructor(
    private _store: IDraftStore,
    base: IVersioned
  ) {
    this._version = base.version;
    this._base = base.value;
    this._state = {
      draft: this._base,
      touched: new Set(),
      submitted: false,
      serverErrors: [],
      inputErrors: new Map(),
      conflict: null,
      mergedActor: null,
      newerActor: null,
      saving: false,
      problem: null
    };
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Emitted when the draft was saved. */
  get saved(): ISignal<this, void> {
    return this._saved;
  }

  get state(): IEditorState {
    return this._state;
  }

  /** The version that the draft is based on. */
  get version(): number | null {
    return this._version;
  }

  /** The value that was read. */
  get base(): ReadonlyJSONObject {
    return this._base;
  }

  /** The document that the draft was made from; empty for a draft of an earlier session, where it is unknown. */
  get ancestor(): ReadonlyJSONObject {
    return this._isBaseKnown ? this._base : {};
  }

  /** Whether the draft differs from the value that was read. */
  get isDirty(): boolean {
    return this._state.inputErrors.size > 0 || !JSONExt.deepEqual(this._state.draft, this._base);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    Signal.clearData(this);
  }

  /** Sets the check of the draft. */
  setCheck(check: Check): void {
    this._check = check;
  }

  /** Adds defaults to the document, which does not count as an edit. */
  initialize(addDefaults: (value: ReadonlyJSONObject) => ReadonlyJSONObject): void {
    this._addDefaults = addDefaults;
    this._base = addDefaults(this._base);
    this.edit(addDefaults(this._state.draft));
  }

  /** Sets the draft. Errors of the last attempt to save are cleared. */
  edit(draft: ReadonlyJSONObject): void {
    if (!JSONExt.deepEqual(draft, this._state.draft)) {
      this._set({ draft, serverErrors: [] });
    }
  }

  /** Marks a location as left by the user. */
  touch(pointer: string): void {
    if (!this._state.touched.has(pointer)) {
      this._set({ touched: new Set([...this._state.touched, pointer]) });
    }
  }

  /** Shows all errors, as after an attempt to save. */
  revealErrors(): void {
    this._set({ submitted: true });
  }

  /** Sets the errors of an input that cannot be written into the draft; an empty list clears them. */
  setInputErrors(pointer: string, faults: readonly IValidationError[]): void {
    if (faults.length === 0 && !this._state.inputErrors.has(pointer)) {
      return;
    }
    const inputErrors = new Map(this._state.inputErrors);
    if (faults.length === 0) {
      inputErrors.delete(pointer);
    } else {
      inputErrors.set(pointer, faults);
    }
    this._set({ inputErrors });
  }

  /** Returns the errors to show. */
  listErrors(): IValidationError[] {
    const { touched, submitted, serverErrors } = this._state;
    const visible = this._findErrors().filter(
      fault => submitted || [...touched].some(pointer => isWithin(fault.pointer, pointer))
    );
    const pointers = new Set(visible.map(fault => fault.pointer));
    return [...visible, ...serverErrors.filter(fault => !pointers.has(fault.pointer))];
  }

  /** Saves the draft, unless it has known errors. Changes of other fields by other users are kept. */
  async save(): Promise<void> {
    this._set({ submitted: true });
    if (this._state.saving || this._findErrors().length > 0) {
      return;
    }
    this._set({ saving: true, problem: null, serverErrors: [], mergedActor: null });
    await this._write(MAX_ATTEMPTS);
  }

  /** Continues with a draft that may be based on an older version; then saving shows the conflict. */
  resume(draft: ReadonlyJSONObject, version: number | null): void {
    const newerActor = version === this._version ? null : '';
    this._isBaseKnown = newerActor === null;
    this._version = version;
    this._set({ draft, newerActor });
  }

  /** Discards the draft, and loads a newer version if there is one. */
  discard(): void {
    const { newerActor } = this._state;
    const pristine = { inputErrors: new Map(), touched: new Set<string>(), submitted: false };
    this._set({ ...pristine, draft: this._base, serverErrors: [], problem: null });
    if (newerActor !== null) {
      void this._reload(newerActor);
    }
  }

  /** Resolves a conflict: keeps one side in all fields, or by field, and saves the result. */
  async resolve(winner: Winner | ReadonlyMap<string, Winner>): Promise<void> {
    const { conflict, draft } = this._state;
    if (!conflict) {
      return;
    }
    const choices =
      typeof winner === 'string' ? new Map(conflict.fields.map(({ pointer }) => [pointer, winner])) : winner;
    const { value } = mergeVersions(this.ancestor, draft, conflict.value, choices);
    this._setBase(conflict.version, conflict.value);
    this._set({ conflict: null, newerActor: null, draft: value, inputErrors: new Map() });
    if (this.isDirty) {
      await this.save();
    }
  }

  /** Returns an editor whose draft undoes the last save; null if nothing was saved. Later changes by others are kept. */
  createUndo(): Editor | null {
    if (this._replaced === null) {
      return null;
    }
    const undo = new Editor(this._store, { version: this._version, value: this._base });
    undo.edit(this._replaced);
    return undo;
  }

  /** Handles a newer version in the change log: loads it if the draft is unchanged, else reports it. */
  onNewVersion(version: number, actor: string): void {
    if (version <= (this._version ?? 0) || this._state.saving || this._state.conflict) {
      return;
    }
    if (this.isDirty) {
      // The author may be known already.
      this._set({ newerActor: actor === '' ? (this._state.newerActor ?? '') : actor });
    } else {
      void this._reload(actor);
    }
  }

  /** Loads the current version, unless the user has started to edit. */
  private async _reload(actor: string): Promise<void> {
    try {
      const { version, value } = await this._store.read();
      if (this.isDirty || this._state.saving) {
        this._set({ newerActor: actor });
      } else {
        this._setBase(version, this._addDefaults(value));
        this._set({ draft: this._base, newerActor: null });
      }
    } catch {
      // An attempt to save will report the error.
      this._set({ newerActor: actor });
    }
  }

  /** Takes over the saved version; the user may have continued to edit. */
  private _setSaved(sent: ReadonlyJSONObject, stored: IVersioned | null): void {
    const isEdited = this._state.draft !== sent;
    this._replaced = this._base;
    this._setBase(stored ? stored.version : this._version, stored ? stored.value : sent);
    const draft = isEdited ? this._state.draft : this._base;
    this._set({ saving: false, conflict: null, newerActor: null, draft });
  }

  /** Returns all errors that can be found without the server. */
  private _findErrors(): IValidationError[] {
    const { draft, inputErrors } = this._state;
    return [...this._check(draft), ...[...inputErrors.values()].flat()];
  }

  private async _write(attemptsLeft: number): Promise<void> {
    const sent = this._state.draft;
    try {
      this._setSaved(sent, await this._store.write(sent, this._version));
      this._saved.emit();
    } catch (reason) {
      await this._onRefused(toProblem(reason), attemptsLeft - 1);
    }
  }

  private async _onRefused(problem: CatalogProblem, attemptsLeft: number): Promise<void> {
    if (problem.kind === 'invalid' && problem.errors.length > 0) {
      this._set({ saving: false, serverErrors: problem.errors });
    } else if (problem.kind === 'conflict' && attemptsLeft > 0) {
      await this._mergeNewerVersion(attemptsLeft);
    } else if (problem.kind === 'held') {
      // The draft is a proposal now: nothing is left to save.
      const pristine = { inputErrors: new Map(), touched: new Set<string>(), submitted: false };
      this._set({ ...pristine, saving: false, problem, draft: this._base });
    } else {
      this._set({ saving: false, problem });
    }
  }

  /** Merges the draft with the current version, and saves it again unless the same fields were changed. */
  private async _mergeNewerVersion(attemptsLeft: number): Promise<void> {
    try {
      const current = await this._store.read();
      const theirs = { ...current, value: this._addDefaults(current.value) };
      const { value, conflicts: fields } = mergeVersions(this.ancestor, this._state.draft, theirs.value);
      if (fields.length > 0) {
        this._set({ saving: false, conflict: { ...theirs, fields } });
      } else {
        this._setBase(theirs.version, theirs.value);
        this._set({ draft: value, mergedActor: theirs.actor, newerActor: null });
        await this._write(attemptsLeft);
      }
    } catch (reason) {
      const problem = toProblem(reason);
      // The document was deleted: there is no conflict, and the next attempt to save creates it again.
      if (problem.kind === 'not-found') {
        this._version = 0;
      }
      this._set({ saving: false, problem });
    }
  }

  private _setBase(version: number | null, value: ReadonlyJSONObject): void {
    this._version = version;
    this._base = value;
    this._isBaseKnown = true;
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
  private _isBaseKnown = true;
  /** The value before the last save. */
  private _replaced: ReadonlyJSONObject | null = null;
  private _check: Check = () => [];
  private _addDefaults = (value: ReadonlyJSONObject): ReadonlyJSONObject => value;
  private _changed = new Signal<this, void>(this);
  private _saved = new Signal<this, void>(this);
  private _isDisposed = false;
}

/** Stores an aspect of an entity. */
class AspectStore implements IDraftStore {
  constructor(
    private _catalog: ICatalog,
    private _urn: string,
    private _aspect: string
  ) {}

  read(): Promise<IAttributedVersion> {
    return this._catalog.call('readAspect', { urn: this._urn, aspect: this._aspect });
  }

  async write(value: ReadonlyJSONObject, version: number | null): Promise<IVersioned> {
    const result = await writeAspect(this._catalog, this._urn, this._aspect, value, version ?? 0);
    return { version: result.version, value };
  }
}

/** An editor with a form generated from a schema: of an aspect, or of a part of one. */
export type FormEditor = Editor & { readonly urn: string; readonly spec: AspectSpec };

/** An editor for an aspect. */
export class AspectEditor extends Editor {
  constructor(
    catalog: ICatalog,
    readonly urn: string,
    readonly spec: AspectSpec,
    base: Pick<Aspect, 'version' | 'value'> | null
  ) {
    super(new AspectStore(catalog, urn, spec.name), base ?? { version: 0, value: {} });
  }
}
