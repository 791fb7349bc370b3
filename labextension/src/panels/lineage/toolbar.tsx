import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Lineage } from '../../generated/api';
import type { Interval } from '../../model/interval';
import { isReversed } from '../../model/interval';
import { useModel } from '../../components/use-model';
import type { LineageModel } from './model';

const LEVELS = [1, 2, 3, 5, 10, 20];

/** What the toolbar does to the drawing. */
interface IDrawing {
  fit(): void;
  zoom(steps: number): void;
  save(): void;
}

interface IToolbarProps {
  model: LineageModel;
  drawing: IDrawing;
  table: boolean;
  setTable: (table: boolean) => void;
  trans: TranslationBundle;
}

function IntervalChooser({ model, trans }: IToolbarProps): React.JSX.Element {
  const { interval } = useModel(model).choice;
  const custom = interval.kind === 'custom' ? interval : { kind: 'custom' as const, from: '', to: '' };
  const choose = (next: Interval): void => void model.choose({ interval: next });
  return (
    <>
      <label>
        {trans.__('Time')}
        <select
          value={interval.kind}
          onChange={event => {
            const kind = event.target.value as Interval['kind'];
            choose(kind === 'custom' ? custom : { kind });
          }}
        >
          <option value="all">{trans.__('All time')}</option>
          <option value="hour">{trans.__('Last hour')}</option>
          <option value="day">{trans.__('Last day')}</option>
          <option value="week">{trans.__('Last week')}</option>
          <option value="custom">{trans.__('From … to …')}</option>
        </select>
      </label>
      {interval.kind === 'custom' && (
        <>
          <label>
            {trans.__('From')}
            <input
              type="datetime-local"
              value={custom.from}
              aria-invalid={isReversed(custom)}
              onChange={event => choose({ ...custom, from: event.target.value })}
            />
          </label>
          <label>
            {trans.__('To')}
            <input
              type="datetime-local"
              value={custom.to}
              aria-invalid={isReversed(custom)}
              onChange={event => choose({ ...custom, to: event.target.value })}
            />
          </label>
          {isReversed(custom) && (
            <span role="alert" className="jp-Colophon-fault">
              {trans.__('From is after To')}
            </span>
          )}
        </>
      )}
    </>
  );
}

function Choosers(props: IToolbarProps): React.JSX.Element {
  const { model, trans } = props;
  const { choice } = useModel(model);
  const levels = LEVELS.includes(choice.levels) ? LEVELS : [...LEVELS, choice.levels].sort((a, b) => a - b);
  return (
    <>
      <label>
        {trans.__('Direction')}
        <select
          value={choice.direction}
          onChange={event => void model.choose({ direction: event.target.value as Lineage['direction'] })}
        >
          <option value="both">{trans.__('Both ways')}</option>
          <option value="upstream">{trans.__('Where it comes from')}</option>
          <option value="downstream">{trans.__('Where it goes')}</option>
          <option value="undirected">{trans.__('All that the same programs touched')}</option>
        </select>
      </label>
      <label>
        {trans.__('Levels')}
        <select value={choice.levels} onChange={event => void model.choose({ levels: Number(event.target.value) })}>
          {levels.map(count => (
            <option key={count} value={count}>
              {count}
            </option>
          ))}
        </select>
      </label>
      <IntervalChooser {...props} />
      <label title={trans.__('What the catalog knew then; empty for now')}>
        {trans.__('As known at')}
        <input
          type="datetime-local"
          value={choice.asOf}
          onChange={event => void model.choose({ asOf: event.target.value })}
        />
      </label>
      <button
        type="button"
        className="jp-Colophon-button"
        aria-pressed={choice.columns}
        title={trans.__('Ask for columns too; they are listed beside the graph')}
        onClick={() => void model.choose({ columns: !choice.columns })}
      >
        {trans.__('Columns')}
      </button>
    </>
  );
}

/** The row of controls above the graph. */
export function LineageToolbar(props: IToolbarProps): React.JSX.Element {
  const { drawing, table, setTable, trans } = props;
  return (
    <div className="jp-Colophon-toolbar" role="toolbar" aria-label={trans.__('Lineage controls')}>
      <Choosers {...props} />
      <button
        type="button"
        className="jp-Colophon-button"
        aria-pressed={table}
        title={trans.__('The same edges as a table')}
        onClick={() => setTable(!table)}
      >
        {trans.__('Table')}
      </button>
      <span className="jp-Colophon-spring" />
      <button
        type="button"
        className="jp-Colophon-button"
        aria-label={trans.__('Zoom out')}
        title={trans.__('Zoom out')}
        onClick={() => drawing.zoom(-1)}
      >
        −
      </button>
      <button
        type="button"
        className="jp-Colophon-button"
        aria-label={trans.__('Zoom in')}
        title={trans.__('Zoom in')}
        onClick={() => drawing.zoom(1)}
      >
        +
      </button>
      <button
        type="button"
        className="jp-Colophon-button"
        title={trans.__('Everything in view')}
        onClick={() => drawing.fit()}
      >
        {trans.__('Fit')}
      </button>
      <button
        type="button"
        className="jp-Colophon-button"
        title={trans.__('Save the drawing as an SVG file')}
        onClick={() => drawing.save()}
      >
        {trans.__('Save SVG')}
      </button>
    </div>
  );
}
