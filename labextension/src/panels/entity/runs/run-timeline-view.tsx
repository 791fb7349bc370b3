import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { formatDuration, formatTime, getStatusLabel } from '../../../components/labels';
import { getRunName, getRunPlace } from '../../../components/run-name';
import { useModel } from '../../../components/use-model';
import type { Run } from '../../../generated/api';
import type { IPage } from '../page';
import type { IRunRow } from './run-timeline';
import { findNextRun, getSpan, listRunRows, listTicks } from './run-timeline';

/** Programs in further rows are only counted. */
const MAX_ROWS = 12;
const LANE_HEIGHT = 20;

/** Signs on the bars, so that the status is not only a colour. */
const SIGNS: Record<Run['status'], string> = { running: '▸', succeeded: '', failed: '×', killed: '■' };

function formatPercentage(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}

function describeRun(run: Run, trans: TranslationBundle): string {
  const words = [
    getRunName(run, trans),
    getRunPlace(run),
    getStatusLabel(run.status, trans),
    formatTime(run.start),
    formatDuration(run.start, run.end)
  ];
  return words.filter(word => word !== '').join(', ');
}

interface IRowProps {
  page: IPage;
  row: IRunRow;
  selected: string;
  select: (urn: string) => void;
}

/** The runs of a program: its name, and a bar for each run. */
function Row({ page, row, selected, select }: IRowProps): React.JSX.Element {
  const { model, actions, trans } = page;
  const newest = row.bars.at(-1)?.run;
  const name = newest ? getRunName(newest, trans) : row.program;
  return (
    <div className="jp-Colophon-runRow" role="group" aria-label={name}>
      <span className="jp-Colophon-runRowName">
        {row.program === model.urn ? (
          name
        ) : (
          <button
            type="button"
            className="jp-Colophon-link"
            title={row.program}
            onClick={() => actions.openEntity(row.program)}
          >
            {name}
          </button>
        )}
      </span>
      <div className="jp-Colophon-runTrack" style={{ height: row.lanes * LANE_HEIGHT }}>
        {row.bars.map(({ run, left, width, lane }) => (
          <button
            key={run.urn}
            type="button"
            className="jp-Colophon-runBar"
            data-run={run.urn}
            data-status={run.status}
            aria-pressed={run.urn === selected}
            aria-label={describeRun(run, trans)}
            title={describeRun(run, trans)}
            tabIndex={run.urn === selected ? 0 : -1}
            style={{ left: formatPercentage(left), width: formatPercentage(width), top: lane * LANE_HEIGHT }}
            onClick={() => select(run.urn)}
          >
            <span aria-hidden="true">{SIGNS[run.status]}</span>
          </button>
        ))}
      </div>
    </div>
  );
}

/** What the shapes and colours of the bars mean. */
function Legend({ runs, trans }: { runs: readonly Run[]; trans: TranslationBundle }): React.JSX.Element {
  return (
    <ul className="jp-Colophon-runLegend" aria-label={trans.__('Legend')}>
      {[...new Set(runs.map(run => run.status))].map(status => (
        <li key={status}>
          <span className="jp-Colophon-runBar" data-status={status} aria-hidden="true">
            {SIGNS[status]}
          </span>
          {getStatusLabel(status, trans)}
        </li>
      ))}
    </ul>
  );
}

/** Runs as bars on a time axis, a row for each program. Arrow keys, Home and End select a run. */
export function RunTimeline(props: {
  page: IPage;
  runs: readonly Run[];
  selected: string;
  select: (urn: string) => void;
}): React.JSX.Element {
  const { page, runs, selected, select } = props;
  const { model, trans } = page;
  const { interval, runsCursor } = useModel(model);
  const box = React.useRef<HTMLDivElement>(null);
  const { rows, ticks } = React.useMemo(() => {
    const now = Date.now();
    const span = getSpan(runs, interval, runsCursor !== null, now);
    return { rows: listRunRows(runs, span, now), ticks: listTicks(span) };
  }, [runs, interval, runsCursor]);
  const shown = rows.slice(0, MAX_ROWS);
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const urn = findNextRun(shown, selected, event.key);
    if (urn !== undefined && (event.target as Element).closest('[data-run]')) {
      event.preventDefault();
      select(urn);
      [...(box.current?.querySelectorAll<HTMLElement>('[data-run]') ?? [])]
        .find(bar => bar.dataset['run'] === urn)
        ?.focus();
    }
  };
  return (
    <div
      className="jp-Colophon-runTimeline"
      role="group"
      aria-label={trans.__('Timeline of runs. Arrow keys select a run.')}
      ref={box}
      onKeyDown={onKeyDown}
    >
      {shown.map(row => (
        <Row key={row.program} page={page} row={row} selected={selected} select={select} />
      ))}
      <div className="jp-Colophon-runAxis" aria-hidden="true">
        <span />
        <div className="jp-Colophon-runTicks">
          {ticks.map(({ time, left, label }) => (
            <span key={time} style={{ left: formatPercentage(left) }}>
              {label}
            </span>
          ))}
        </div>
      </div>
      {rows.length > shown.length && (
        <p className="jp-Colophon-note">
          {trans._n(
            'and %1 more program; see the list',
            'and %1 more programs; see the list',
            rows.length - shown.length
          )}
        </p>
      )}
      <Legend runs={runs} trans={trans} />
    </div>
  );
}
