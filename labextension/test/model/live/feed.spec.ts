import { expect, test } from 'vitest';
import type { Change } from '../../../src/generated/api';
import type { IListener } from '../../../src/model/live/feed';
import { ChangeFeed } from '../../../src/model/live/feed';
import { table } from '../../support/server';

function change(seq: number): Change {
  return {
    seq,
    time: '2026-11-20T12:00:00.000Z',
    urn: table('a'),
    type: 'dataset',
    namespace: 'flights',
    name: 'a',
    aspect: 'businessMetadata',
    operation: 'update',
    version: seq,
    scope: 'USER',
    actor: 'ada',
    via: null,
    run: null,
    previous: null,
    value: {},
    summary: ''
  };
}

/** Creates a feed with a network and a clock controlled by the test. */
class FeedFixture {
  readonly cursors: (number | null)[] = [];
  readonly pauses: number[] = [];
  readonly received: number[] = [];
  missed = 0;
  closed = 0;
  listener: IListener | null = null;
  readonly feed = new ChangeFeed(
    (after, listener) => {
      this.cursors.push(after);
      this.listener = listener;
      return { close: () => (this.closed += 1) };
    },
    (milliseconds, then) => {
      this.pauses.push(milliseconds);
      this._then = then;
      return () => (this._then = null);
    }
  );

  constructor() {
    this.feed.changed.connect((_, changes) => this.received.push(...changes.map(item => item.seq)));
    this.feed.missed.connect(() => (this.missed += 1));
  }

  hello(head: number): void {
    this.listener?.onMessage({ kind: 'hello', head });
  }

  say(...seqs: number[]): void {
    this.listener?.onMessage({ kind: 'changes', cursor: seqs.at(-1) ?? 0, changes: seqs.map(change) });
  }

  breakOff(code = 1006): void {
    this.listener?.onClose(code);
  }

  tick(): void {
    const then = this._then;
    this._then = null;
    then?.();
  }

  private _then: (() => void) | null = null;
}

test('several users of the feed share one connection', () => {
  const bench = new FeedFixture();
  expect(bench.cursors).toEqual([]);
  const first = bench.feed.keepOpen();
  const second = bench.feed.keepOpen();
  expect(bench.cursors).toEqual([null]);
  first.dispose();
  expect(bench.closed).toBe(0);
  second.dispose();
  second.dispose();
  expect(bench.closed).toBe(1);
});

test('the feed resumes after the last change without duplicates', () => {
  const bench = new FeedFixture();
  bench.feed.keepOpen();
  bench.hello(10);
  bench.say(11, 12);
  bench.breakOff();
  bench.tick();
  expect(bench.cursors).toEqual([null, 12]);
  bench.hello(13);
  bench.say(12, 13);
  expect(bench.received).toEqual([11, 12, 13]);
  expect(bench.missed).toBe(0);
});

test.each([4401, 4403])('everything is loaded again after the access has ended with %i', code => {
  const bench = new FeedFixture();
  bench.feed.keepOpen();
  bench.hello(10);
  bench.breakOff(code);
  expect(bench.missed).toBe(0);
  bench.tick();
  expect(bench.cursors).toEqual([null, null]);
  bench.hello(12);
  expect(bench.missed).toBe(1);
});

test('gaps between sequence numbers are accepted', () => {
  const bench = new FeedFixture();
  bench.feed.keepOpen();
  bench.hello(1);
  bench.say(5);
  bench.say(9);
  expect(bench.received).toEqual([5, 9]);
  expect(bench.missed).toBe(0);
});

test('reconnection delays double up to 30 seconds', () => {
  const bench = new FeedFixture();
  bench.feed.keepOpen();
  for (let failure = 0; failure < 9; failure++) {
    bench.breakOff();
    bench.tick();
  }
  expect(bench.pauses).toEqual([500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000]);
  bench.hello(1);
  bench.breakOff();
  expect(bench.pauses.at(-1)).toBe(500);
});

test('a reset log signals missed changes', () => {
  const bench = new FeedFixture();
  bench.feed.keepOpen();
  bench.hello(100);
  bench.breakOff();
  bench.tick();
  bench.hello(3);
  expect(bench.missed).toBe(1);
  bench.say(4);
  expect(bench.received).toEqual([4]);
});

test('a repeatedly rejected cursor is given up', () => {
  const bench = new FeedFixture();
  bench.feed.keepOpen();
  bench.hello(100);
  for (let failure = 0; failure < 3; failure++) {
    bench.breakOff();
    bench.tick();
  }
  expect(bench.cursors).toEqual([null, 100, 100, null]);
  bench.hello(200);
  expect(bench.missed).toBe(1);
});

test('messages after closing are ignored', () => {
  const bench = new FeedFixture();
  const subscription = bench.feed.keepOpen();
  bench.hello(1);
  const late = bench.listener;
  subscription.dispose();
  late?.onMessage({ kind: 'changes', cursor: 2, changes: [change(2)] });
  late?.onClose(1006);
  expect(bench.received).toEqual([]);
  expect(bench.pauses).toEqual([]);
});

test('the feed can be disabled and resumes later', () => {
  const bench = new FeedFixture();
  bench.feed.keepOpen();
  bench.hello(7);
  bench.feed.enabled = false;
  expect(bench.closed).toBe(1);
  bench.feed.enabled = true;
  expect(bench.cursors).toEqual([null, 7]);
});

test('the status shows whether changes are received', () => {
  const bench = new FeedFixture();
  const statuses: string[] = [];
  bench.feed.statusChanged.connect((_, status) => statuses.push(status));
  const subscription = bench.feed.keepOpen();
  expect(bench.feed.status).toBe('idle');
  bench.hello(1);
  bench.breakOff();
  bench.tick();
  bench.breakOff();
  bench.tick();
  bench.hello(1);
  bench.feed.enabled = false;
  bench.feed.enabled = true;
  bench.hello(1);
  subscription.dispose();
  expect(statuses).toEqual(['live', 'away', 'live', 'paused', 'live', 'idle']);
});
