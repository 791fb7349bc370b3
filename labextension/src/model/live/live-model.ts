import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { Change } from '../../generated/api';
import type { IChangeFeed } from '../../tokens';
import type { CatalogProblem } from '../problem';
import { toProblem } from '../problem';

/** The state of loading, which every panel shows. */
export interface ILiveState {
  busy: boolean;
  problem: CatalogProblem | null;
}

/**
 * A state that is loaded from the catalog while it is visible.
 *
 * It is loaded when it becomes visible, and again when a change may have made it outdated. The change feed is only
 * used while the state is visible and after the first answer, because a server without our extension has none. Of two
 * requests, only the answer to the newer one is used.
 */
export abstract class LiveModel<S extends ILiveState> implements IDisposable {
  /**
   * @param _feed - The change feed, if available.
   * @param _state - The state before the first answer.
   */
  constructor(
    private _feed: IChangeFeed | null,
    private _state: S
  ) {}

  /** Emitted when the displayed state has changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The displayed state; a new object for each change. */
  get state(): S {
    return this._state;
  }

  /** Whether the state is visible. */
  get isShown(): boolean {
    return this._isShown;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Cancels the current request; the state does not change any more, and no signals are emitted. */
  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this.hide();
      this._request?.abort();
      Signal.clearData(this);
    }
  }

  /** Loads the state, and follows changes from now on. */
  show(): void {
    if (!this._isShown && !this._isDisposed) {
      this._isShown = true;
      // Before the first request: what changes while it is answered must be loaded again.
      this._feed?.changed.connect(this._onChanged, this);
      this._feed?.missed.connect(this._onMissed, this);
      void this.refresh();
    }
  }

  /** Stops following changes. */
  hide(): void {
    this._isShown = false;
    window.clearTimeout(this._timer);
    this._subscription?.dispose();
    this._subscription = null;
    this._feed?.changed.disconnect(this._onChanged, this);
    this._feed?.missed.disconnect(this._onMissed, this);
  }

  /**
   * Loads the state again; a failure becomes its `problem`.
   *
   * @returns Whether the answer is displayed: false if the request failed or was superseded.
   */
  async refresh(): Promise<boolean> {
    window.clearTimeout(this._timer);
    this._request?.abort();
    const { signal } = (this._request = new AbortController());
    this.setState({ busy: true });
    try {
      const answer = await this.load(signal);
      if (!signal.aborted) {
        this.setState({ ...answer, busy: false, problem: null });
        this._subscribe();
      }
      return !signal.aborted;
    } catch (reason) {
      if (!signal.aborted) {
        this.setState({ busy: false, problem: toProblem(reason) });
      }
      return false;
    }
  }

  /** Loads the state; returns the part of it that changes. */
  protected abstract load(signal: AbortSignal): Promise<Partial<S>>;

  /** Handles changes of the catalog: calls `scheduleRefresh` if they concern the state. */
  protected abstract onChanges(changes: readonly Change[]): void;

  /** Loads the state again after a pause; a pending pause is restarted. */
  protected scheduleRefresh(milliseconds: number): void {
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => void this.refresh(), milliseconds);
  }

  /** Cancels the current request: its answer is not displayed. */
  protected cancelRequest(): void {
    this._request?.abort();
  }

  /** The signal of the current request, for further requests that belong to it. */
  protected get currentSignal(): AbortSignal | undefined {
    return this._request?.signal;
  }

  /** Changes a part of the state. */
  protected setState(change: Partial<S> | Partial<ILiveState>): void {
    if (!this._isDisposed) {
      this._state = { ...this._state, ...change };
      this.emitChanged();
    }
  }

  /** Emits `changed` for changes outside the state object. */
  protected emitChanged(): void {
    this._changed.emit();
  }

  private _subscribe(): void {
    if (this._isShown && !this._subscription && this._feed) {
      this._subscription = this._feed.keepOpen();
    }
  }

  private _onChanged(_: IChangeFeed, changes: readonly Change[]): void {
    this.onChanges(changes);
  }

  private _onMissed(): void {
    this.scheduleRefresh(0);
  }

  private _changed = new Signal<this, void>(this);
  private _request: AbortController | null = null;
  private _subscription: IDisposable | null = null;
  private _timer = 0;
  private _isShown = false;
  private _isDisposed = false;
}
