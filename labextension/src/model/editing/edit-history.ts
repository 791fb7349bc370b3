import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { JSONExt } from '@lumino/coreutils';

/** Maximum number of drafts that can be restored. */
const MAX_STEPS = 100;

/**
 * The earlier drafts of a document, for undo and redo.
 *
 * Successive edits of one place, such as the letters of a text, are one step.
 */
export class EditHistory {
  constructor(private _current: ReadonlyJSONObject) {}

  get canUndo(): boolean {
    return this._past.length > 0;
  }

  get canRedo(): boolean {
    return this._future.length > 0;
  }

  /** Records a draft; `place` is empty for an edit that is always a step of its own. */
  record(draft: ReadonlyJSONObject, place: string): void {
    if (JSONExt.deepEqual(draft, this._current)) {
      return;
    }
    if (place === '' || place !== this._place) {
      this._past = [...this._past, this._current].slice(-MAX_STEPS);
    }
    this._future = [];
    this._current = draft;
    this._place = place;
  }

  /** Returns the draft before the last step; null if there is none. */
  undo(): ReadonlyJSONObject | null {
    return this._move(this._past, this._future);
  }

  /** Returns the draft after the last step that was undone; null if there is none. */
  redo(): ReadonlyJSONObject | null {
    return this._move(this._future, this._past);
  }

  /** Forgets all steps: the document was replaced. */
  reset(draft: ReadonlyJSONObject): void {
    this._past = [];
    this._future = [];
    this._current = draft;
    this._place = '';
  }

  private _move(from: ReadonlyJSONObject[], to: ReadonlyJSONObject[]): ReadonlyJSONObject | null {
    const draft = from.pop();
    if (draft === undefined) {
      return null;
    }
    to.push(this._current);
    this._current = draft;
    this._place = '';
    return draft;
  }

  private _past: ReadonlyJSONObject[] = [];
  private _future: ReadonlyJSONObject[] = [];
  private _place = '';
}
