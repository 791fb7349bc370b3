import type { ReadonlyJSONObject } from '@lumino/coreutils';

/** An unsaved draft that survives a reload. */
export interface IStoredDraft {
  draft: ReadonlyJSONObject;
  /** The version that the draft is based on. */
  version: number | null;
  /** The time of storage: ISO 8601. */
  time: string;
}

const PREFIX = 'jupyter-colophon:draft:';
const RETENTION_DAYS = 30;
const MILLISECONDS_PER_DAY = 86_400_000;

function parseDraft(text: string | null): IStoredDraft | null {
  try {
    const draft = JSON.parse(text ?? 'null') as Partial<IStoredDraft> | null;
    return typeof draft?.draft === 'object' && typeof draft.time === 'string' ? (draft as IStoredDraft) : null;
  } catch {
    return null;
  }
}

/** Drafts in the storage of the browser. If the storage is unavailable or full, drafts are lost silently. */
export class DraftStorage {
  /**
   * @param _storage - `window.localStorage`, if it is available.
   * @param _server - The server of the drafts: two servers on one host share the storage.
   */
  constructor(
    private _storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'> | null,
    private _server: string
  ) {}

  read(key: string): IStoredDraft | null {
    return parseDraft(this._storage?.getItem(this._getFullKey(key)) ?? null);
  }

  write(key: string, draft: IStoredDraft): void {
    try {
      this._storage?.setItem(this._getFullKey(key), JSON.stringify(draft));
    } catch {
      // The storage is full; an outdated draft would be worse than none.
      this.remove(key);
    }
  }

  remove(key: string): void {
    this._storage?.removeItem(this._getFullKey(key));
  }

  /** Deletes expired drafts. */
  deleteExpired(now: number): void {
    const keys = Array.from({ length: this._storage?.length ?? 0 }, (_, index) => this._storage?.key(index) ?? '');
    for (const key of keys.filter(key => key.startsWith(PREFIX))) {
      const stored = parseDraft(this._storage?.getItem(key) ?? null);
      if (!stored || !(now - Date.parse(stored.time) < RETENTION_DAYS * MILLISECONDS_PER_DAY)) {
        this._storage?.removeItem(key);
      }
    }
  }

  private _getFullKey(key: string): string {
    return `${PREFIX}${this._server}:${key}`;
  }
}
