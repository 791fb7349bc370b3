import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { Change } from '../generated/api';
import type { IChangeFeed } from '../tokens';
import type { CatalogProblem } from './problem';
import { asProblem } from './problem';

/** What every panel shows of its questions to the catalog. */
export interface ILiveState {
  busy: boolean;
  problem: CatalogProblem | null;
}

/**
 * State that is asked of the catalog while somebody looks at it.
 *
 * It asks when it is shown and again when a change may have made the answer stale. The feed is held only while the
 * state is shown and after one question was answered: a server without our extension is not listened to. Of two
 * questions the newer one counts, whichever is answered first.
 */
export abstract class LiveModel<S extends ILiveState> implements IDisposable {
  /**
   * @param _feed - What happens in the catalog, if that is told.
   * @param _state - The state before anything was asked.
   */
  constructor(
    private _feed: IChangeFeed | null,
    private _state: S
  ) {}

  /** Emitted whenever what is shown is another. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** What to show; a new object for every change. */
  get state(): S {
    return this._state;
  }

  /** Whether somebody looks at it. */
  protected get isShown(): boolean {
    return this._isShown;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Gives up what is asked; after this the state changes no more and nobody is told. */
  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this.hide();
      this._asking?.abort();
      Signal.clearData(this);
    }
  }

  /** It came into view: asks, and follows changes from now on. */
  show(): void {
    if (!this._isShown && !this._isDisposed) {
      this._isShown = true;
      void this.refresh();
    }
  }

  /** It went out of view: changes are not followed any more. */
  hide(): void {
    this._isShown = false;
    window.clearTimeout(this._timer);
    this._held?.dispose();
    this._held = null;
    this._feed?.changed.disconnect(this._onChanged, this);
    this._feed?.missed.disconnect(this._onMissed, this);
  }

  /**
   * Asks again for what is shown; a failure becomes the state's `problem`.
   *
   * @returns Whether the answer is shown now: not when it failed, nor when a newer question overtook it.
   */
  async refresh(): Promise<boolean> {
    window.clearTimeout(this._timer);
    this._asking?.abort();
    const { signal } = (this._asking = new AbortController());
    this.set({ busy: true });
    try {
      const answer = await this.ask(signal);
      if (!signal.aborted) {
        this.set({ ...answer, busy: false, problem: null });
        this._follow();
      }
      return !signal.aborted;
    } catch (reason) {
      if (!signal.aborted) {
        this.set({ busy: false, problem: asProblem(reason) });
      }
      return false;
    }
  }

  /** Asks the catalog; the answer is the part of the state that it changes. */
  protected abstract ask(signal: AbortSignal): Promise<Partial<S>>;

  /** Changes came: `refreshSoon` if they concern what is shown. */
  protected abstract heard(changes: readonly Change[]): void;

  /** Asks again after a pause; a pause that runs already begins anew. */
  protected refreshSoon(milliseconds: number): void {
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => void this.refresh(), milliseconds);
  }

  /** The signal of the newest question, for questions that belong to it. */
  protected get asking(): AbortSignal | undefined {
    return this._asking?.signal;
  }

  /** Changes a part of the state. */
  protected set(change: Partial<S> | Partial<ILiveState>): void {
    if (!this._isDisposed) {
      this._state = { ...this._state, ...change };
      this.announce();
    }
  }

  /** Says that what is shown is another, where the state itself is not. */
  protected announce(): void {
    this._changed.emit();
  }

  private _follow(): void {
    if (this._isShown && !this._held && this._feed) {
      this._held = this._feed.hold();
      this._feed.changed.connect(this._onChanged, this);
      this._feed.missed.connect(this._onMissed, this);
    }
  }

  private _onChanged(_: IChangeFeed, changes: readonly Change[]): void {
    this.heard(changes);
  }

  private _onMissed(): void {
    this.refreshSoon(0);
  }

  private _changed = new Signal<this, void>(this);
  private _asking: AbortController | null = null;
  private _held: IDisposable | null = null;
  private _timer = 0;
  private _isShown = false;
  private _isDisposed = false;
}
