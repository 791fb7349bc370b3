import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { ICatalog } from '../../tokens';
import type { Key } from './query';
import { toKeyQuery } from './query';
import type { IQueryTerm } from './query-terms';
import { parseTerms, quoteTerm } from './query-terms';

/** A completion of the term at the cursor. */
export interface ICompletion {
  /** The text that replaces the term; a key ends with `:`. */
  text: string;
  /** Number of entities, if it is known. */
  entities?: number;
  /** Whether only machines write the key. */
  bySystem?: boolean;
}

/** The completions of a term, and where the term is. */
interface ICompletionList {
  start: number;
  end: number;
  options: readonly ICompletion[];
}

const MAX_OPTIONS = 6;
/** More are read than shown, because keys of people precede those of machines. */
const MAX_READ = 30;
const TYPING_PAUSE_MS = 150;

/** Keys that every entity can be found by (spec SEARCH-5, SEARCH-17), and entity types. */
const KEYS = [
  'name:',
  'tags:',
  'owner:',
  'terms:',
  'domain:',
  'description:',
  'schema:',
  'properties:',
  'link:',
  'created-by:',
  'last-updated-by:',
  'last-updated-by-program:',
  'creation-time:',
  'last-update-time:',
  'dataset:',
  'program:',
  'application:',
  'field:',
  'namespace:'
] as const;

/** Values of the keys of times: ranges and their operators. */
const TIME_VALUES = ['now-1d..', 'now-7d..', 'now-30d..', '>=', '>', '<=', '<'] as const;
const TIME_KEYS: readonly string[] = ['creation-time', 'last-update-time'];

const NONE: ICompletionList = { start: 0, end: 0, options: [] };

function findTerm(text: string, cursor: number): IQueryTerm | undefined {
  return parseTerms(text).find(term => term.start < cursor && cursor <= term.end);
}

function fromKey(key: Key): ICompletion {
  const query = toKeyQuery(key);
  return {
    text: query.endsWith(':*') ? query.slice(0, -1) : query,
    entities: key.entities,
    bySystem: key.scope === 'SYSTEM'
  };
}

/** Orders completions: keys of people first; one key may have both scopes. */
function mergeOptions(options: readonly ICompletion[], typed: string): ICompletion[] {
  const byText = new Map<string, ICompletion>();
  for (const option of [...options].sort(
    (left, right) => Number(left.bySystem === true) - Number(right.bySystem === true)
  )) {
    if (!byText.has(option.text) && option.text !== typed) {
      byText.set(option.text, option);
    }
  }
  return [...byText.values()].slice(0, MAX_OPTIONS);
}

/** Completes keys, values, entity types and operators in the search box: one request for each pause in typing. */
export class CompletionModel implements IDisposable {
  constructor(private _catalog: ICatalog) {}

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get state(): ICompletionList {
    return this._state;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this.clear();
    Signal.clearData(this);
  }

  /** Looks for completions of the term at the cursor, after a pause in typing. */
  update(text: string, cursor: number): void {
    this.clear();
    const term = findTerm(text, cursor);
    if (term !== undefined && !term.raw.includes('*')) {
      this._timer = window.setTimeout(() => void this._load(term), TYPING_PAUSE_MS);
    }
  }

  /** Removes the completions, and cancels the request for others. */
  clear(): void {
    window.clearTimeout(this._timer);
    this._request?.abort();
    this._setState(NONE);
  }

  private async _load(term: IQueryTerm): Promise<void> {
    const { signal } = (this._request = new AbortController());
    try {
      const options = await (term.key === null
        ? this._listKeys(term, signal)
        : this._listValues(term, term.key, signal));
      if (!signal.aborted) {
        this._setState({ start: term.start, end: term.end, options: mergeOptions(options, term.raw) });
      }
    } catch {
      // Without an answer there are no completions; the search itself reports failures of the server.
    }
  }

  private async _listKeys({ value: prefix }: IQueryTerm, signal: AbortSignal): Promise<ICompletion[]> {
    const { keys } = await this._catalog.call('listKeys', { prefix, limit: MAX_READ }, { signal });
    const known = KEYS.filter(key => key.startsWith(prefix.toLowerCase())).map(text => ({ text }));
    return [...keys.map(fromKey), ...known];
  }

  private async _listValues({ value: prefix }: IQueryTerm, key: string, signal: AbortSignal): Promise<ICompletion[]> {
    if (TIME_KEYS.includes(key.toLowerCase())) {
      return TIME_VALUES.filter(value => value.startsWith(prefix)).map(value => ({ text: `${key}:${value}` }));
    }
    const { values } = await this._catalog.call('listValues', { key, prefix, limit: MAX_OPTIONS + 1 }, { signal });
    return values.map(({ value, entities }) => ({ text: quoteTerm(`${key}:${value}`), entities }));
  }

  private _setState(state: ICompletionList): void {
    if (state !== this._state) {
      this._state = state;
      this._changed.emit();
    }
  }

  private _state: ICompletionList = NONE;
  private _timer = 0;
  private _request: AbortController | null = null;
  private _isDisposed = false;
  private _changed = new Signal<this, void>(this);
}
