/** What every panel shows of its calls. */
export interface ICalls {
  /** Whether a call is running. */
  busy: boolean;
  /** The last failure; null if there is none. */
  failure: IFailure | null;
}

/** A failed task, which can be tried again. */
interface IFailure {
  message: string;
  retry(): void;
}

/** The statuses with which a server refuses what the user has entered. */
function isRefusal(error: unknown): error is Error {
  const status = (error as { status?: unknown } | null)?.status;
  return error instanceof Error && typeof status === 'number' && status >= 400 && status < 500;
}

/** The state of a panel with its calls. Components read it by `usePanelModel`. */
export abstract class PanelModel<State extends object> {
  constructor(
    initial: State,
    /** Aborted when the panel is closed: what ends later is ignored. */
    protected readonly signal: AbortSignal
  ) {
    this._state = { ...initial, busy: false, failure: null };
  }

  /** The current state; a new object after each change. */
  get state(): Readonly<State & ICalls> {
    return this._state;
  }

  /** Calls a listener after each change until the result is called. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this._listeners.add(listener);
    return () => this._listeners.delete(listener);
  };

  protected setState(change: Partial<State>): void {
    this._change(change as Partial<State & ICalls>);
  }

  /** Runs a task whose failure is shown with *Try again*. Resolves to whether it has succeeded. */
  protected async run(task: () => Promise<void>): Promise<boolean> {
    try {
      await this._track(task);
      return true;
    } catch (error) {
      this._fail(error, () => void this.run(task));
      return false;
    }
  }

  /** Runs a task that sends what the user has entered. Resolves to why the server refuses it; empty if it does not. */
  protected async submit(task: () => Promise<void>): Promise<string> {
    try {
      await this._track(task);
      return '';
    } catch (error) {
      if (isRefusal(error)) {
        return error.message;
      }
      this._fail(error, () => void this.run(task));
      return '';
    }
  }

  private async _track(task: () => Promise<void>): Promise<void> {
    this._running += 1;
    this._change({ busy: true, failure: null } as Partial<State & ICalls>);
    try {
      await task();
    } finally {
      this._running -= 1;
      this._change({ busy: this._running > 0 } as Partial<State & ICalls>);
    }
  }

  private _fail(error: unknown, retry: () => void): void {
    const message = error instanceof Error ? error.message : String(error);
    this._change({ failure: { message, retry } } as Partial<State & ICalls>);
  }

  private _change(change: Partial<State & ICalls>): void {
    if (!this.signal.aborted) {
      this._state = { ...this._state, ...change };
      this._listeners.forEach(listener => listener());
    }
  }

  private _state: State & ICalls;
  private _running = 0;
  private readonly _listeners = new Set<() => void>();
}
