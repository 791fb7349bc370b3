import type { IDisposable } from '@lumino/disposable';
import { DisposableDelegate } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { Change, Message } from '../generated/api';
import type { IChangeFeed } from '../tokens';

/** One connection to the change log. */
export interface IConnection {
  close(): void;
}

/** What a connection tells; after `closed` it says no more. */
export interface IListener {
  said(message: Message): void;
  closed(): void;
}

/** Opens a connection that replays what came after a sequence number, or starts at the present for null. */
export type Connect = (after: number | null, listener: IListener) => IConnection;

/** Waits, then calls; the answer cancels it. Given by argument so that tests need no clock. */
export type Later = (milliseconds: number, then: () => void) => () => void;

const PAUSE_FIRST_MS = 500;
const PAUSE_LONGEST_MS = 30_000;

/** Follows the change log over one connection that everybody shares; resumes where it broke off. */
export class ChangeFeed implements IChangeFeed {
  constructor(
    private _connect: Connect,
    private _later: Later
  ) {}

  get changed(): ISignal<this, readonly Change[]> {
    return this._changed;
  }

  get missed(): ISignal<this, void> {
    return this._missed;
  }

  /** Whether to keep a connection at all. */
  get enabled(): boolean {
    return this._enabled;
  }

  set enabled(value: boolean) {
    if (value !== this._enabled) {
      this._enabled = value;
      this._settle();
    }
  }

  hold(): IDisposable {
    this._holders += 1;
    this._settle();
    return new DisposableDelegate(() => {
      this._holders -= 1;
      this._settle();
    });
  }

  /** Opens or closes the connection, whichever is wanted now. */
  private _settle(): void {
    const wanted = this._enabled && this._holders > 0;
    if (wanted && !this._connection && !this._cancel) {
      this._open();
    } else if (!wanted) {
      this._cancel?.();
      this._cancel = null;
      this._connection?.close();
      this._connection = null;
    }
  }

  private _open(): void {
    const connection = this._connect(this._cursor, {
      said: message => {
        if (this._connection === connection) {
          this._hear(message);
        }
      },
      closed: () => {
        if (this._connection === connection) {
          this._connection = null;
          this._retry();
        }
      }
    });
    this._connection = connection;
  }

  private _retry(): void {
    const pause = this._pause;
    this._pause = Math.min(PAUSE_LONGEST_MS, pause * 2);
    this._failures += 1;
    // A sequence that the server refuses time and again (compacted, another store) is given up.
    if (this._failures === 3 && this._cursor !== null) {
      this._restart(null);
    }
    this._cancel = this._later(pause, () => {
      this._cancel = null;
      this._settle();
    });
  }

  private _hear(message: Message): void {
    if (message.kind === 'hello') {
      this._pause = PAUSE_FIRST_MS;
      this._failures = 0;
      if (this._cursor === null) {
        this._cursor = message.head;
        if (this._stale) {
          this._stale = false;
          this._missed.emit();
        }
      } else if (message.head < this._cursor) {
        this._cursor = message.head;
        this._missed.emit();
      }
      return;
    }
    const known = this._cursor ?? 0;
    const fresh = message.changes.filter(change => change.seq > known);
    this._cursor = Math.max(known, message.cursor);
    if (fresh.length > 0) {
      this._changed.emit(fresh);
    }
  }

  private _restart(cursor: number | null): void {
    this._cursor = cursor;
    this._stale = true;
  }

  private _changed = new Signal<this, readonly Change[]>(this);
  private _missed = new Signal<this, void>(this);
  private _enabled = true;
  private _holders = 0;
  private _connection: IConnection | null = null;
  private _cancel: (() => void) | null = null;
  private _cursor: number | null = null;
  private _pause = PAUSE_FIRST_MS;
  private _failures = 0;
  private _stale = false;
}
