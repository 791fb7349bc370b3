const PAUSE_MS = 800;

/** Collects typed letters to a text; a pause starts another one. */
export class TypeAhead {
  /** Adds a key; returns the text so far, or null if the key is not a letter. */
  add(key: string, time: number): string | null {
    if (key.length !== 1 || (key === ' ' && this._text === '')) {
      return null;
    }
    this._text = time - this._last > PAUSE_MS ? key : this._text + key;
    this._last = time;
    return this._text.toLocaleLowerCase();
  }

  private _text = '';
  private _last = -Infinity;
}
