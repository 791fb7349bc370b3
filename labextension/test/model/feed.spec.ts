import { expect, test } from 'vitest';
import type { Change } from '../../src/generated/api';
import type { IListener } from '../../src/model/feed';
import { ChangeFeed } from '../../src/model/feed';
import { table } from '../support/server';

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
    value: {}
  };
}

/** A feed on a network and a clock that the test moves. */
class Bench {
  readonly asked: (number | null)[] = [];
  readonly pauses: number[] = [];
  readonly heard: number[] = [];
  missed = 0;
  closed = 0;
  listener: IListener | null = null;
  readonly feed = new ChangeFeed(
    (after, listener) => {
      this.asked.push(after);
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
    this.feed.changed.connect((_, changes) => this.heard.push(...changes.map(one => one.seq)));
    this.feed.missed.connect(() => (this.missed += 1));
  }

  hello(head: number): void {
    this.listener?.said({ kind: 'hello', head });
  }

  say(...seqs: number[]): void {
    this.listener?.said({ kind: 'changes', cursor: seqs.at(-1) ?? 0, changes: seqs.map(change) });
  }

  breakOff(): void {
    this.listener?.closed();
  }

  tick(): void {
    const then = this._then;
    this._then = null;
    then?.();
  }

  private _then: (() => void) | null = null;
}

test('nobody holds it: there is no connection; two hold it: there is one', () => {
  const bench = new Bench();
  expect(bench.asked).toEqual([]);
  const first = bench.feed.hold();
  const second = bench.feed.hold();
  expect(bench.asked).toEqual([null]);
  first.dispose();
  expect(bench.closed).toBe(0);
  second.dispose();
  second.dispose();
  expect(bench.closed).toBe(1);
});

test('it resumes after the last change it heard, and hears none twice', () => {
  const bench = new Bench();
  bench.feed.hold();
  bench.hello(10);
  bench.say(11, 12);
  bench.breakOff();
  bench.tick();
  expect(bench.asked).toEqual([null, 12]);
  bench.hello(13);
  bench.say(12, 13);
  expect(bench.heard).toEqual([11, 12, 13]);
  expect(bench.missed).toBe(0);
});

test('gaps between numbers are normal', () => {
  const bench = new Bench();
  bench.feed.hold();
  bench.hello(1);
  bench.say(5);
  bench.say(9);
  expect(bench.heard).toEqual([5, 9]);
  expect(bench.missed).toBe(0);
});

test('it waits longer after every failure, up to half a minute, and not at all long after a success', () => {
  const bench = new Bench();
  bench.feed.hold();
  for (let failure = 0; failure < 9; failure++) {
    bench.breakOff();
    bench.tick();
  }
  expect(bench.pauses).toEqual([500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000]);
  bench.hello(1);
  bench.breakOff();
  expect(bench.pauses.at(-1)).toBe(500);
});

test('a log that begins anew makes everybody ask again', () => {
  const bench = new Bench();
  bench.feed.hold();
  bench.hello(100);
  bench.breakOff();
  bench.tick();
  bench.hello(3);
  expect(bench.missed).toBe(1);
  bench.say(4);
  expect(bench.heard).toEqual([4]);
});

test('a number that is refused time and again is given up, and everybody asks again', () => {
  const bench = new Bench();
  bench.feed.hold();
  bench.hello(100);
  for (let failure = 0; failure < 3; failure++) {
    bench.breakOff();
    bench.tick();
  }
  expect(bench.asked).toEqual([null, 100, 100, null]);
  bench.hello(200);
  expect(bench.missed).toBe(1);
});

test('what a closed connection still says is not heard', () => {
  const bench = new Bench();
  const held = bench.feed.hold();
  bench.hello(1);
  const late = bench.listener;
  held.dispose();
  late?.said({ kind: 'changes', cursor: 2, changes: [change(2)] });
  late?.closed();
  expect(bench.heard).toEqual([]);
  expect(bench.pauses).toEqual([]);
});

test('it can be switched off while held, and resumes where it was', () => {
  const bench = new Bench();
  bench.feed.hold();
  bench.hello(7);
  bench.feed.enabled = false;
  expect(bench.closed).toBe(1);
  bench.feed.enabled = true;
  expect(bench.asked).toEqual([null, 7]);
});
