import type { IDisposable } from '@lumino/disposable';
import type { Change } from '../../generated/api';
import type { ICatalog, IChangeFeed } from '../../tokens';
import { REQUEST_TYPE } from './request-list';

const CHANGE_PAUSE_MS = 1000;

/** Counts the open requests to the user and the teams of the user; it counts again after changes of requests. */
export class RequestCounter implements IDisposable {
  constructor(
    private _catalog: ICatalog,
    private _feed: IChangeFeed,
    private _show: (count: number) => void
  ) {
    _feed.changed.connect(this._onChanged, this);
    _feed.missed.connect(this._count, this);
    this._count();
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      window.clearTimeout(this._timer);
      this._feed.changed.disconnect(this._onChanged, this);
      this._feed.missed.disconnect(this._count, this);
    }
  }

  private _onChanged(_: IChangeFeed, changes: readonly Change[]): void {
    if (changes.some(({ type }) => type === REQUEST_TYPE)) {
      window.clearTimeout(this._timer);
      this._timer = window.setTimeout(() => this._count(), CHANGE_PAUSE_MS);
    }
  }

  private _count(): void {
    const query = { list: 'assigned', state: 'open', limit: 1 } as const;
    this._catalog.call('listRequests', query).then(
      ({ total }) => {
        if (!this._isDisposed) {
          this._show(total);
        }
      },
      () => {
        // The count of before stays until the server answers again.
      }
    );
  }

  private _timer = 0;
  private _isDisposed = false;
}
