import type { ReadonlyJSONObject } from '@lumino/coreutils';

/** What was typed and not saved, as it outlives a reload. */
export interface IStoredDraft {
  draft: ReadonlyJSONObject;
  /** The version it was made upon. */
  version: number | null;
  /** When it was put down: ISO 8601. */
  time: string;
}

const PREFIX = 'jupyter-colophon:draft:';
const DAYS_KEPT = 30;
const MILLISECONDS_A_DAY = 86_400_000;

function parsed(text: string | null): IStoredDraft | null {
  try {
    const found = JSON.parse(text ?? 'null') as Partial<IStoredDraft> | null;
    return typeof found?.draft === 'object' && typeof found.time === 'string' ? (found as IStoredDraft) : null;
  } catch {
    return null;
  }
}

/** Drafts in the browser's own storage. One that is away or full costs a draft, and nothing else. */
export class Drafts {
  /**
   * @param _storage - `window.localStorage`, if the browser gives it.
   * @param _server - Whose drafts these are: two servers of one host share the storage.
   */
  constructor(
    private _storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'> | null,
    private _server: string
  ) {}

  read(key: string): IStoredDraft | null {
    return parsed(this._storage?.getItem(this._full(key)) ?? null);
  }

  write(key: string, draft: IStoredDraft): void {
    try {
      this._storage?.setItem(this._full(key), JSON.stringify(draft));
    } catch {
      // Full: an old draft of this place would be worse than none.
      this.remove(key);
    }
  }

  remove(key: string): void {
    this._storage?.removeItem(this._full(key));
  }

  /** Lets go of what nobody came back for. */
  tidy(now: number): void {
    const keys = Array.from({ length: this._storage?.length ?? 0 }, (_, index) => this._storage?.key(index) ?? '');
    for (const key of keys.filter(one => one.startsWith(PREFIX))) {
      const found = parsed(this._storage?.getItem(key) ?? null);
      if (!found || !(now - Date.parse(found.time) < DAYS_KEPT * MILLISECONDS_A_DAY)) {
        this._storage?.removeItem(key);
      }
    }
  }

  private _full(key: string): string {
    return `${PREFIX}${this._server}:${key}`;
  }
}
