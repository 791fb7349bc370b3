import type { IDisposable } from '@lumino/disposable';
import { DisposableDelegate } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { Change, Message } from '../../generated/api';
import type { FeedStatus, IChangeFeed } from '../../tokens';

/** A connection to the change log. */
export interface IConnection {
  close(): void;
}

/** Receives the messages of a connection; none after `onClose`. */
export interface IListener {
  onMessage(message: Message): void;
  /** `code` is that of the WebSocket. */
  onClose(code: number): void;
}

/** Opens a connection that continues after a sequence number; null starts at the present. */
export type Connect = (after: number | null, listener: IListener) => IConnection;

/** Calls back after a delay; the result cancels it. Passed as an argument so that tests need no clock. */
export type Delay = (milliseconds: number, callback: () => void) => () => void;

const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** The codes of connections that end with a token or the rights of the user (docs/notifications.md). */
const ACCESS_ENDED = [4401, 4403];

/** Follows the change log over one shared connection, and resumes where it was interrupted. */
export class ChangeFeed implements IChangeFeed {
  constructor(
    private _connect: Connect,
    private _delay: Delay
  ) {}

  get changed(): ISignal<this, readonly Change[]> {
    return this._changed;
  }

  get missed(): ISignal<this, void> {
    return this._missed;
  }

  get status(): FeedStatus {
    return this._status;
  }

  get statusChanged(): ISignal<this, FeedStatus> {
    return this._statusChanged;
  }

  /** Whether the feed may be connected. */
  get enabled(): boolean {
    return this._enabled;
  }

  set enabled(value: boolean) {
    if (value !== this._enabled) {
      this._enabled = value;
      this._updateConnection();
    }
  }

  keepOpen(): IDisposable {
    this._holders += 1;
    this._updateConnection();
    return new DisposableDelegate(() => {
      this._holders -= 1;
      this._updateConnection();
    });
  }

  /** Opens or closes the connection as needed. */
  private _updateConnection(): void {
    const isNeeded = this._enabled && this._holders > 0;
    if (isNeeded && !this._connection && !this._cancel) {
      this._open();
    } else if (!isNeeded) {
      this._cancel?.();
      this._cancel = null;
      this._connection?.close();
      this._connection = null;
      this._setStatus(this._enabled ? 'idle' : 'paused');
    }
  }

  private _setStatus(status: FeedStatus): void {
    if (status !== this._status) {
      this._status = status;
      this._statusChanged.emit(status);
    }
  }

  private _open(): void {
    const connection = this._connect(this._cursor, {
      onMessage: message => {
        if (this._connection === connection) {
          this._onMessage(message);
        }
      },
      onClose: code => {
        if (this._connection === connection) {
          this._connection = null;
          if (ACCESS_ENDED.includes(code)) {
            // What may be read can differ: everything is loaded again.
            this._resetCursor(null);
          }
          this._setStatus('away');
          this._retry();
        }
      }
    });
    this._connection = connection;
  }

  private _retry(): void {
    const pause = this._pause;
    this._pause = Math.min(MAX_PAUSE_MS, pause * 2);
    this._failures += 1;
    // Give up a sequence number that the server keeps rejecting (truncated log, or another store).
    if (this._failures === 3 && this._cursor !== null) {
      this._resetCursor(null);
    }
    this._cancel = this._delay(pause, () => {
      this._cancel = null;
      this._updateConnection();
    });
  }

  private _onMessage(message: Message): void {
    if (message.kind === 'hello') {
      this._pause = MIN_PAUSE_MS;
      this._failures = 0;
      this._setStatus('live');
      if (this._cursor === null) {
        this._cursor = message.head;
        if (this._hasMissedChanges) {
          this._hasMissedChanges = false;
          this._missed.emit();
        }
      } else if (message.head < this._cursor) {
        this._cursor = message.head;
        this._missed.emit();
      }
      return;
    }
    const cursor = this._cursor ?? 0;
    const newChanges = message.changes.filter(change => change.seq > cursor);
    this._cursor = Math.max(cursor, message.cursor);
    if (newChanges.length > 0) {
      this._changed.emit(newChanges);
    }
  }

  private _resetCursor(cursor: number | null): void {
    this._cursor = cursor;
    this._hasMissedChanges = true;
  }

  private _changed = new Signal<this, readonly Change[]>(this);
  private _missed = new Signal<this, void>(this);
  private _statusChanged = new Signal<this, FeedStatus>(this);
  private _status: FeedStatus = 'idle';
  private _enabled = true;
  private _holders = 0;
  private _connection: IConnection | null = null;
  private _cancel: (() => void) | null = null;
  private _cursor: number | null = null;
  private _pause = MIN_PAUSE_MS;
  private _failures = 0;
  private _hasMissedChanges = false;
}
