import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { formatTime } from './labels';

/** How often displayed times are refreshed, in ms. */
const REFRESH_INTERVAL = 30_000;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Older times are displayed as dates. */
const LONGEST = 7 * DAY;

/** Formats a time relative to `now` (ms): "3 min ago"; times that are older than a week as a date. */
export function formatRelativeTime(iso: string, now: number, trans: TranslationBundle): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) {
    return iso;
  }
  const seconds = Math.round((now - time) / 1000);
  // Clocks of servers may be ahead by a few seconds.
  if (Math.abs(seconds) < MINUTE) {
    return trans.__('just now');
  }
  if (seconds < 0 || seconds > LONGEST) {
    return new Date(time).toLocaleDateString();
  }
  if (seconds < HOUR) {
    return trans.__('%1 min ago', Math.floor(seconds / MINUTE));
  }
  if (seconds < DAY) {
    return trans.__('%1 h ago', Math.floor(seconds / HOUR));
  }
  return trans._n('%1 day ago', '%1 days ago', Math.floor(seconds / DAY));
}

/** All displayed times share one timer, which runs only while one of them is displayed. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => listeners.forEach(notify => notify()), REFRESH_INTERVAL);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** A time as "3 min ago", with the exact time as tooltip; it is refreshed while it is displayed. */
export function RelativeTime(props: { time: string; trans: TranslationBundle }): React.JSX.Element {
  const { time, trans } = props;
  const [now, setNow] = React.useState(() => Date.now());
  React.useEffect(() => subscribe(() => setNow(Date.now())), []);
  return (
    <time dateTime={time} title={formatTime(time)}>
      {formatRelativeTime(time, now, trans)}
    </time>
  );
}
