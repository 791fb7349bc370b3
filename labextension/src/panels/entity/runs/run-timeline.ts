import type { Run } from '../../../generated/api';
import type { Interval } from '../../../model/interval';
import { toBounds } from '../../../model/interval';

/** The time that a timeline shows, in ms. */
export interface ISpan {
  start: number;
  end: number;
}

/** A run as a bar; `left` and `width` are shares of the width of the timeline. */
interface IBar {
  run: Run;
  left: number;
  width: number;
  /** Bars of one row that would overlap are in different lanes. */
  lane: number;
}

/** The runs of one program, the earliest first. */
export interface IRunRow {
  program: string;
  bars: readonly IBar[];
  lanes: number;
}

/** A label of the time axis. */
interface ITick {
  time: number;
  /** The share of the width of the timeline. */
  left: number;
  label: string;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const LENGTHS = { hour: HOUR, day: DAY, week: 7 * DAY } as const;

/** A shorter span would only show the start of one run. */
const MIN_SPAN = 10 * SECOND;
/** The free part of the span on each side if the interval has no bounds. */
const PADDING = 0.02;
/** A shorter bar could not be seen, or hit with a pointer. */
const MIN_WIDTH = 0.018;
/** Bars in further lanes are drawn over others. */
const MAX_LANES = 4;
const MAX_TICKS = 5;

const STEPS: readonly number[] = [
  ...[1, 5, 15, 30].map(count => count * SECOND),
  ...[1, 5, 15, 30].map(count => count * MINUTE),
  ...[1, 3, 6, 12].map(count => count * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map(count => count * DAY)
];

function getEnd(run: Run, now: number): number {
  return run.end === null ? now : Date.parse(run.end);
}

/** Returns the bounds of an interval in ms; undefined for an open one. */
function getBounds(interval: Interval, now: number): { start: number | undefined; end: number | undefined } {
  if (interval.kind === 'all') {
    return { start: undefined, end: undefined };
  }
  if (interval.kind !== 'custom') {
    return { start: now - LENGTHS[interval.kind], end: now };
  }
  const { start, end } = toBounds(interval);
  return {
    start: start === undefined ? undefined : Date.parse(start),
    end: end === undefined ? undefined : Date.parse(end)
  };
}

/**
 * Returns the time that a timeline shows.
 *
 * It is the interval, or that of the runs if the interval is open. While there are earlier runs that are not loaded
 * (`isPartial`), it begins with the earliest loaded one: the time before would look as if there were no runs in it.
 */
export function getSpan(runs: readonly Run[], interval: Interval, isPartial: boolean, now: number): ISpan {
  const bounds = getBounds(interval, now);
  const first = Math.min(...runs.map(run => Date.parse(run.start)));
  const last = Math.max(...runs.map(run => getEnd(run, now)));
  const length = Math.max(last - first, MIN_SPAN);
  const start = isPartial ? undefined : bounds.start;
  return { start: start ?? first - length * PADDING, end: bounds.end ?? first + length * (1 + PADDING) };
}

/** Chooses the first lane in which a bar overlaps no earlier one. */
function chooseLane(ends: readonly number[], left: number): number {
  const free = ends.findIndex(end => end <= left);
  return free >= 0 ? free : Math.min(ends.length, MAX_LANES - 1);
}

function createBars(runs: readonly Run[], { start, end }: ISpan, now: number): IBar[] {
  const ends: number[] = [];
  return [...runs]
    .sort((one, other) => Date.parse(one.start) - Date.parse(other.start))
    .map(run => {
      const from = Math.max(0, (Date.parse(run.start) - start) / (end - start));
      const to = Math.min(1, (getEnd(run, now) - start) / (end - start));
      const width = Math.max(MIN_WIDTH, to - from);
      const left = Math.min(from, 1 - width);
      const lane = chooseLane(ends, left);
      ends[lane] = left + width;
      return { run, left, width, lane };
    });
}

/** Lists the programs of runs, the one that ran last first, each with its runs as bars. */
export function listRunRows(runs: readonly Run[], span: ISpan, now: number): IRunRow[] {
  const byProgram = new Map<string, Run[]>();
  [...runs]
    .sort((one, other) => Date.parse(other.start) - Date.parse(one.start))
    .forEach(run => byProgram.set(run.program, [...(byProgram.get(run.program) ?? []), run]));
  return [...byProgram].map(([program, own]) => {
    const bars = createBars(own, span, now);
    return { program, bars, lanes: Math.max(...bars.map(({ lane }) => lane)) + 1 };
  });
}

/** Returns the first multiple of a step after the local midnight before a time, which is not before it. */
function alignTime(time: number, step: number): number {
  const midnight = new Date(time).setHours(0, 0, 0, 0);
  return step >= DAY
    ? midnight < time
      ? midnight + DAY
      : midnight
    : midnight + Math.ceil((time - midnight) / step) * step;
}

function formatTick(time: number, step: number): string {
  const date = new Date(time);
  if (step >= DAY) {
    return date.toLocaleDateString(undefined, { month: 'short', day: 'numeric' });
  }
  const seconds = step < MINUTE ? ({ second: '2-digit' } as const) : {};
  return date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', ...seconds });
}

/** Lists the labels of the time axis, at round times. */
export function listTicks({ start, end }: ISpan): ITick[] {
  const step =
    STEPS.find(length => (end - start) / length <= MAX_TICKS) ?? Math.ceil((end - start) / MAX_TICKS / DAY) * DAY;
  const ticks: ITick[] = [];
  for (let time = alignTime(start, step); time <= end; time += step) {
    ticks.push({ time, left: (time - start) / (end - start), label: formatTick(time, step) });
  }
  return ticks;
}

function getMiddle({ left, width }: IBar): number {
  return left + width / 2;
}

/** Returns the run of a row that is nearest to a bar. */
function findNearest(row: IRunRow | undefined, bar: IBar): IBar | undefined {
  const getDistance = (other: IBar): number => Math.abs(getMiddle(other) - getMiddle(bar));
  return row && [...row.bars].sort((one, other) => getDistance(one) - getDistance(other))[0];
}

/** Returns the run that a key leads to: left and right in a row, up and down to other rows; undefined if there is none. */
export function findNextRun(rows: readonly IRunRow[], urn: string, key: string): string | undefined {
  const at = rows.findIndex(({ bars }) => bars.some(({ run }) => run.urn === urn));
  const bars = rows[at]?.bars ?? [];
  const index = bars.findIndex(({ run }) => run.urn === urn);
  const bar = bars[index];
  if (bar === undefined) {
    return undefined;
  }
  const targets: Readonly<Record<string, IBar | undefined>> = {
    ArrowLeft: bars[index - 1],
    ArrowRight: bars[index + 1],
    ArrowUp: findNearest(rows[at - 1], bar),
    ArrowDown: findNearest(rows[at + 1], bar),
    Home: bars[0],
    End: bars.at(-1)
  };
  return targets[key]?.run.urn;
}
