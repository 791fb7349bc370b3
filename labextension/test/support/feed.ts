import type { Change, Message } from '../../src/generated/api';
import type { IListener } from '../../src/model/live/feed';
import { ChangeFeed } from '../../src/model/live/feed';
import { table } from './server';

/** A change feed whose connection is controlled by the test. */
export class FakeFeed {
  holders = 0;
  readonly feed = new ChangeFeed(
    (_, listener) => {
      this.holders += 1;
      this._listener = listener;
      queueMicrotask(() => listener.onMessage({ kind: 'hello', head: 0 }));
      return { close: () => (this.holders -= 1) };
    },
    () => () => undefined
  );

  /** Sends a change of a table. */
  emit(name: string, part: Partial<Change> = {}): void {
    this._seq += 1;
    const change: Change = {
      seq: this._seq,
      time: '2026-11-20T12:00:00.000Z',
      urn: table(name),
      type: 'dataset',
      namespace: 'flights',
      name,
      aspect: 'businessMetadata',
      operation: 'update',
      version: this._seq + 1,
      scope: 'USER',
      actor: 'bob',
      via: null,
      run: null,
      previous: null,
      value: null,
      summary: '',
      ...part
    };
    const message: Message = { kind: 'changes', cursor: this._seq, changes: [change] };
    this._listener?.onMessage(message);
  }

  private _listener: IListener | null = null;
  private _seq = 0;
}
