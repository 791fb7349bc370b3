import type { IDisposable } from '@lumino/disposable';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { JSONExt } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { PipelineCheckResult } from '../../generated/api';
import { EditHistory } from '../../model/editing/edit-history';
import type { Editor } from '../../model/editing/editor';
import { isObject } from '../../model/schemas/form-schema';
import type { IConnectionDraft, StagePlace, StagePlugin } from '../../model/pipelines/pipeline-draft';
import {
  addConnection,
  addStage,
  getStagePointer,
  listStages,
  removeConnection,
  removeStage,
  renameStage
} from '../../model/pipelines/pipeline-draft';
import { getValueAt, isWithin } from '../../model/schemas/pointer';
import type { IValidationError } from '../../model/problem';
import type { ICatalog } from '../../tokens';

const CHECK_PAUSE_MS = 400;
/** Values for a check of a draft that has none yet: their form reports that they are missing. */
const PLACEHOLDER = { name: 'draft', namespace: 'default' };

/** The state of the canvas of a pipeline, in addition to its draft. */
export interface IPipelineState {
  /** The index of the selected stage; null for none. */
  selected: number | null;
  /** The result of the last check of the server; null before the first one. */
  check: PipelineCheckResult | null;
  /** The errors that the server found, with pointers into the draft. */
  problems: readonly IValidationError[];
  /** Arguments for checks, previews and runs. They are not stored. */
  arguments: Readonly<Record<string, string>>;
  canUndo: boolean;
  canRedo: boolean;
}

/** The model of the canvas: edits the draft of an instance editor, and checks it on the server. */
export class PipelineModel implements IDisposable {
  /**
   * @param getName - Returns the name of the pipeline; empty before the first save.
   */
  constructor(
    readonly editor: Editor,
    private _catalog: ICatalog,
    private _getName: () => string
  ) {
    this._history = new EditHistory(this.draft);
    this._version = editor.version;
    this._checkedDraft = null;
    editor.changed.connect(this._onEdit, this);
    this._scheduleCheck();
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get state(): IPipelineState {
    return this._state;
  }

  get draft(): ReadonlyJSONObject {
    return this.editor.state.draft;
  }

  /** The name of the pipeline for requests; a placeholder before the first save. */
  get name(): string {
    return this._getName() || PLACEHOLDER.name;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    window.clearTimeout(this._timer);
    this._request?.abort();
    this.editor.changed.disconnect(this._onEdit, this);
    Signal.clearData(this);
  }

  /** Selects a stage by its index; null selects none. */
  select(index: number | null): void {
    const exists = index !== null && index >= 0 && index < listStages(this.draft).length;
    this._set({ selected: exists ? index : null });
  }

  /** Adds a stage, and selects it. */
  add(plugin: StagePlugin, place: StagePlace): void {
    this._apply(addStage(this.draft, plugin, place));
    this.select(listStages(this.draft).length - 1);
  }

  /** Removes a stage with its connections. */
  remove(index: number): void {
    const { selected } = this._state;
    this._apply(removeStage(this.draft, index));
    this.select(selected === null || selected === index ? null : selected > index ? selected - 1 : selected);
  }

  /** Renames a stage, also in its connections. */
  rename(index: number, name: string): void {
    this._apply(renameStage(this.draft, index, name));
  }

  connect(connection: IConnectionDraft): void {
    this._apply(addConnection(this.draft, connection));
  }

  disconnect(connection: IConnectionDraft): void {
    this._apply(removeConnection(this.draft, connection));
  }

  undo(): void {
    this._restore(this._history.undo());
  }

  redo(): void {
    this._restore(this._history.redo());
  }

  /** Sets an argument for checks, previews and runs; an empty one is not passed. */
  setArgument(name: string, value: string): void {
    const others = Object.entries(this._state.arguments).filter(([other]) => other !== name);
    this._set({ arguments: Object.fromEntries(value === '' ? others : [...others, [name, value]]) });
    this._scheduleCheck();
  }

  /** Returns the document for requests, without members that are not part of a pipeline. */
  createDocument(): Record<string, unknown> {
    const { display_name, metadata } = this.draft;
    const members = isObject(metadata) ? metadata : {};
    const namespace = members['namespace'] === undefined || members['namespace'] === '';
    return {
      display_name: typeof display_name === 'string' && display_name !== '' ? display_name : PLACEHOLDER.name,
      schema_name: 'pipeline',
      metadata: namespace ? { ...members, namespace: PLACEHOLDER.namespace } : members
    };
  }

  /** Returns the displayed errors: those of the form, and those of the server at other locations. */
  listErrors(): readonly IValidationError[] {
    const faults = this.editor.listErrors();
    const pointers = new Set(faults.map(({ pointer }) => pointer));
    return [...faults, ...this._state.problems.filter(({ pointer }) => !pointers.has(pointer))];
  }

  /** Checks the draft on the server. */
  async check(): Promise<void> {
    window.clearTimeout(this._timer);
    this._request?.abort();
    const { signal } = (this._request = new AbortController());
    const { draft } = this;
    if (listStages(draft).length === 0) {
      this._checkedDraft = draft;
      this._set({ check: null, problems: [] });
      return;
    }
    const body = { name: this.name, document: this.createDocument(), arguments: { ...this._state.arguments } };
    try {
      const check = await this._catalog.call('checkPipeline', {}, { body, signal });
      if (!signal.aborted) {
        this._checkedDraft = draft;
        this._set({ check, problems: check.problems });
      }
    } catch {
      // The next edit checks again; saving reports errors as well.
    }
  }

  private _apply(draft: ReadonlyJSONObject): void {
    this._place = '';
    this.editor.edit(draft);
    this._place = null;
  }

  private _restore(draft: ReadonlyJSONObject | null): void {
    if (draft !== null) {
      this.editor.edit(draft);
      this.select(this._state.selected);
    }
  }

  private _onEdit(): void {
    const { editor, draft } = this;
    const isReplaced = editor.version !== this._version && !JSONExt.deepEqual(draft, this._lastDraft);
    this._version = editor.version;
    this._lastDraft = draft;
    if (isReplaced) {
      // A newer version of another user was loaded or merged: earlier drafts would undo its changes.
      this._history.reset(draft);
    } else {
      this._history.record(draft, this._place ?? `form ${this._state.selected}`);
    }
    const { canUndo, canRedo } = this._history;
    this._set({ canUndo, canRedo, ...(this._isMoved(draft) ? { problems: [] } : {}) });
    this.select(this._state.selected);
    if (!JSONExt.deepEqual(draft, this._checkedDraft ?? {})) {
      this._scheduleCheck();
    }
  }

  /** Whether stages have other locations than in the checked draft, so that pointers into it are wrong. */
  private _isMoved(draft: ReadonlyJSONObject): boolean {
    const getNames = (of: ReadonlyJSONObject): string[] =>
      listStages(of).map(({ type, plugin }) => `${type} ${plugin}`);
    return this._checkedDraft !== null && !JSONExt.deepEqual(getNames(draft), getNames(this._checkedDraft));
  }

  private _scheduleCheck(): void {
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => void this.check(), CHECK_PAUSE_MS);
  }

  private _set(change: Partial<IPipelineState>): void {
    if (!this._isDisposed) {
      this._state = { ...this._state, ...change };
      this._changed.emit();
    }
  }

  private _state: IPipelineState = {
    selected: null,
    check: null,
    problems: [],
    arguments: {},
    canUndo: false,
    canRedo: false
  };
  private _history: EditHistory;
  private _version: number | null;
  private _lastDraft: ReadonlyJSONObject = {};
  private _checkedDraft: ReadonlyJSONObject | null;
  /** The place of the current edit in the history; null for edits of the form. */
  private _place: string | null = null;
  private _timer = 0;
  private _request: AbortController | null = null;
  private _changed = new Signal<this, void>(this);
  private _isDisposed = false;
}

/** Returns the errors at or below a stage. */
export function listStageErrors(errors: readonly IValidationError[], index: number): IValidationError[] {
  return errors.filter(({ pointer }) => isWithin(pointer, getStagePointer(index)));
}

/** Returns the index of the stage that an error concerns; null if it concerns none. */
export function findStageOfError(draft: ReadonlyJSONObject, { pointer }: IValidationError): number | null {
  const [, stage] = /^\/metadata\/stages\/(\d+)(?:\/|$)/.exec(pointer) ?? [];
  if (stage !== undefined) {
    return Number(stage);
  }
  const [, connection] = /^\/metadata\/connections\/(\d+)(?:\/|$)/.exec(pointer) ?? [];
  const ends = connection === undefined ? undefined : getValueAt(draft, `/metadata/connections/${connection}`);
  const names = typeof ends === 'object' && ends !== null ? Object.values(ends) : [];
  const index = listStages(draft).findIndex(({ name }) => names.includes(name));
  return index < 0 ? null : index;
}
