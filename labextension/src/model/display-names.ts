import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { Change } from '../generated/api';
import type { ICatalog, IChangeFeed } from '../tokens';

/** Entities of these types are known by the names in their URNs. */
const KNOWN_BY_URN = /^urn:li:(?:dataset|schemaField|namespace):/;

/** The most entities of one request. */
const PAGE = 500;
/** A run reports several changes at its end. */
const CHANGE_PAUSE_MS = 300;

/** Reads the names by which people know entities, by URN; entities that are known by their URNs are missing. */
export async function readDisplayNames(
  catalog: ICatalog,
  urns: readonly string[],
  signal?: AbortSignal
): Promise<Map<string, string>> {
  const named = [...new Set(urns)].filter(urn => !KNOWN_BY_URN.test(urn));
  const names = new Map<string, string>();
  for (let start = 0; start < named.length; start += PAGE) {
    const body = { urns: named.slice(start, start + PAGE) };
    const { displayNames } = await catalog.call('readDisplayNames', {}, { body, signal });
    Object.entries(displayNames).forEach(([urn, name]) => names.set(urn, name));
  }
  return names;
}

/** Returns the entities whose names may have changed: a program's follows its writes. */
function listChangedUrns(changes: readonly Change[]): string[] {
  return changes.flatMap(({ urn, value }) => {
    const { program }: { program?: unknown } = value ?? {};
    return typeof program === 'string' ? [urn, program] : [urn];
  });
}

/**
 * The names by which people know the entities of a list, by URN.
 *
 * Names that a list requests together are read in one request, and again after changes of their entities while the
 * change feed is open. Without an answer, lists show the names in URNs.
 */
export class DisplayNames implements IDisposable {
  constructor(
    private _catalog: ICatalog,
    private _feed: IChangeFeed | null
  ) {
    _feed?.changed.connect(this._onChanged, this);
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The names that are known; a new map for each change. */
  get state(): ReadonlyMap<string, string> {
    return this._state;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      window.clearTimeout(this._timer);
      this._feed?.changed.disconnect(this._onChanged, this);
      Signal.clearData(this);
    }
  }

  /** Reads the names of those of these entities that were not requested before. */
  request(urns: readonly string[]): void {
    const added = urns.filter(urn => !this._requested.has(urn) && !KNOWN_BY_URN.test(urn));
    added.forEach(urn => this._requested.add(urn));
    if (added.length > 0) {
      void this._read(added);
    }
  }

  private async _read(urns: readonly string[]): Promise<void> {
    try {
      const names = await readDisplayNames(this._catalog, urns);
      if (!this._isDisposed) {
        const kept = [...this._state].filter(([urn]) => !urns.includes(urn));
        this._state = new Map([...kept, ...names]);
        this._changed.emit();
      }
    } catch {
      // They are requested again when the list is shown again.
      urns.forEach(urn => this._requested.delete(urn));
    }
  }

  private _onChanged(_: IChangeFeed, changes: readonly Change[]): void {
    const stale = listChangedUrns(changes).filter(urn => this._requested.has(urn));
    if (stale.length > 0) {
      stale.forEach(urn => this._stale.add(urn));
      window.clearTimeout(this._timer);
      this._timer = window.setTimeout(() => {
        const urns = [...this._stale];
        this._stale.clear();
        void this._read(urns);
      }, CHANGE_PAUSE_MS);
    }
  }

  private _state: ReadonlyMap<string, string> = new Map();
  private _requested = new Set<string>();
  private _stale = new Set<string>();
  private _timer = 0;
  private _isDisposed = false;
  private _changed = new Signal<this, void>(this);
}
