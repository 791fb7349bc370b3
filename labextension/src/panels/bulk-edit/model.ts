import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { IBulkChange, IBulkResult, Outcome } from '../../model/editing/bulk-edit';
import { applyChange, countUserTags, NO_CHANGE, previewChange, undoChange } from '../../model/editing/bulk-edit';
import { DisplayNames } from '../../model/display-names';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import { toProblem } from '../../model/problem';
import type { ICatalog } from '../../tokens';

/** The state of editing many entities. */
export interface IBulkEditState extends ILiveState {
  change: IBulkChange;
  /** What the change does to each entity, in the order of the entities. */
  preview: readonly Outcome[];
  /** The tags of users on the entities, with their numbers. */
  tags: readonly (readonly [string, number])[];
  /** Tags and owners of the catalog, as suggestions. */
  knownTags: readonly string[];
  knownOwners: readonly string[];
  applying: boolean;
  /** The result of the last change; null before it, and after it was undone. */
  result: IBulkResult | null;
}

const CHOICES = 500;
const TYPING_PAUSE_MS = 200;

/** The model of the page that edits the tags and the owner of many entities. */
export class BulkEditModel extends LiveModel<IBulkEditState> {
  constructor(
    private _catalog: ICatalog,
    readonly urns: readonly string[]
  ) {
    super(null, {
      change: NO_CHANGE,
      preview: [],
      tags: [],
      knownTags: [],
      knownOwners: [],
      applying: false,
      result: null,
      busy: false,
      problem: null
    });
    this.names = new DisplayNames(_catalog, null);
  }

  /** The names of the entities. */
  readonly names: DisplayNames;

  override dispose(): void {
    this.names.dispose();
    super.dispose();
  }

  /** Emitted after a change of entities, with its result. */
  get applied(): ISignal<this, IBulkResult> {
    return this._applied;
  }

  /** The number of entities that the change affects. */
  get affected(): number {
    return this.state.preview.filter(({ changed }) => changed).length;
  }

  addTag(tag: string): void {
    const { addedTags, removedTags } = this.state.change;
    this._change({
      addedTags: [...addedTags.filter(other => other !== tag), tag],
      removedTags: removedTags.filter(other => other !== tag)
    });
  }

  /** Keeps a tag as it is, after `addTag` or `removeTag`. */
  keepTag(tag: string): void {
    const { addedTags, removedTags } = this.state.change;
    this._change({
      addedTags: addedTags.filter(other => other !== tag),
      removedTags: removedTags.filter(other => other !== tag)
    });
  }

  removeTag(tag: string): void {
    const { addedTags, removedTags } = this.state.change;
    this._change({
      addedTags: addedTags.filter(other => other !== tag),
      removedTags: [...removedTags.filter(other => other !== tag), tag]
    });
  }

  /** Sets the owner; empty removes it, null keeps it. */
  setOwner(owner: string | null): void {
    this._change({ owner }, TYPING_PAUSE_MS);
  }

  /** Applies the previewed change. */
  async apply(): Promise<void> {
    const { preview, change } = this.state;
    this.setState({ applying: true });
    try {
      const result = await applyChange(this._catalog, preview, change);
      this.setState({ applying: false, result, change: NO_CHANGE });
      this._applied.emit(result);
      await this.refresh();
    } catch (reason) {
      this.setState({ applying: false, problem: toProblem(reason) });
    }
  }

  /** Undoes a change; resolves to the number of entities that were changed again, and are not restored. */
  async undo({ applied }: IBulkResult): Promise<number> {
    const outcomes = await undoChange(this._catalog, applied);
    this.setState({ result: null });
    void this.refresh();
    return outcomes.filter(({ problem }) => problem !== null).length;
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IBulkEditState>> {
    const [preview, choices] = await Promise.all([
      previewChange(this._catalog, this.urns, this.state.change, signal),
      this._isLoaded ? {} : this._loadChoices(signal)
    ]);
    this._isLoaded = true;
    return { preview, tags: countUserTags(preview), ...choices };
  }

  protected override onChanges(): void {
    // A change by others after the preview is rejected when the change is applied.
  }

  private _change(change: Partial<IBulkChange>, pause = 0): void {
    // Without a preview until it is answered, so that nothing else can be applied.
    const preview = this.state.preview.map(outcome => ({ ...outcome, changed: false }));
    this.setState({ change: { ...this.state.change, ...change }, preview, busy: true });
    this.scheduleRefresh(pause);
  }

  private async _loadChoices(signal: AbortSignal): Promise<Partial<IBulkEditState>> {
    const [knownTags, knownOwners] = await Promise.all([
      this._listValues('tags', signal),
      this._listValues('owner', signal)
    ]);
    return { knownTags, knownOwners };
  }

  private async _listValues(key: string, signal: AbortSignal): Promise<readonly string[]> {
    const { values } = await this._catalog.call('listValues', { key, limit: CHOICES }, { signal });
    return values.map(({ value }) => value);
  }

  /** Whether the suggestions are loaded. */
  private _isLoaded = false;
  private _applied = new Signal<this, IBulkResult>(this);
}
