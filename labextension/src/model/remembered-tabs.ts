const KEY = 'jupyter-colophon:tabs:';
const MAX_PAGES = 200;

type Entry = readonly [page: string, tab: string];

/** The selected tab of each page, in the storage of the browser. If the storage is unavailable, nothing is remembered. */
export class RememberedTabs {
  /**
   * @param _storage - `window.localStorage`, if it is available.
   * @param _server - The server of the pages: two servers on one host share the storage.
   */
  constructor(
    private _storage: Pick<Storage, 'getItem' | 'setItem'> | null,
    private _server: string
  ) {}

  /** Returns the selected tab of a page; undefined if there is none. */
  read(page: string): string | undefined {
    return this._readEntries().find(([name]) => name === page)?.[1];
  }

  /** Remembers the tab of a page; the pages that were used longest ago are forgotten. */
  write(page: string, tab: string): void {
    const others = this._readEntries().filter(([name]) => name !== page);
    try {
      this._storage?.setItem(KEY + this._server, JSON.stringify([[page, tab], ...others].slice(0, MAX_PAGES)));
    } catch {
      // The storage is full: the tab is not remembered.
    }
  }

  private _readEntries(): readonly Entry[] {
    try {
      const entries: unknown = JSON.parse(this._storage?.getItem(KEY + this._server) ?? '[]');
      return Array.isArray(entries) ? (entries as Entry[]) : [];
    } catch {
      return [];
    }
  }
}
