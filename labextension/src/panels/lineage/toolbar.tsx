import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Lineage } from '../../generated/api';
import type { Interval } from '../../model/interval';
import { isReversed } from '../../model/interval';
import { useModel } from '../../components/use-model';
import type { LineageModel } from './model';

const LEVELS = [1, 2, 3, 5, 10, 20];

/** The actions of the toolbar on the drawing. */
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
  const { interval } = useModel(model).options;
  const custom = interval.kind === 'custom' ? interval : { kind: 'custom' as const, from: '', to: '' };
  const choose = (next: Interval): void => void model.setOptions({ interval: next });
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
            <span role="alert" className="jp-Colophon-error">
              {trans.__('From must be before To')}
            </span>
          )}
        </>
      )}
    </>
  );
}

function Choosers(props: IToolbarProps): React.JSX.Element {
  const { model, trans } = props;
  const { options } = useModel(model);
  const levels = LEVELS.includes(options.levels) ? LEVELS : [...LEVELS, options.levels].sort((a, b) => a - b);
  return (
    <>
      <label>
        {trans.__('Direction')}
        <select
          value={options.direction}
          onChange={event => void model.setOptions({ direction: event.target.value as Lineage['direction'] })}
        >
          <option value="both">{trans.__('Both directions')}</option>
          <option value="upstream">{trans.__('Upstream')}</option>
          <option value="downstream">{trans.__('Downstream')}</option>
          <option value="undirected">{trans.__('Undirected')}</option>
        </select>
      </label>
      <label>
        {trans.__('Levels')}
        <select
          value={options.levels}
          onChange={event => void model.setOptions({ levels: Number(event.target.value) })}
        >
          {levels.map(count => (
            <option key={count} value={count}>
              {count}
            </option>
          ))}
        </select>
      </label>
      <IntervalChooser {...props} />
      <label title={trans.__('The lineage as it was known at this time; empty for now')}>
        {trans.__('As of')}
        <input
          type="datetime-local"
          value={options.asOf}
          onChange={event => void model.setOptions({ asOf: event.target.value })}
        />
      </label>
      <button
        type="button"
        className="jp-Colophon-button"
        aria-pressed={options.columns}
        title={trans.__('Show the lineage of columns in the details')}
        onClick={() => void model.setOptions({ columns: !options.columns })}
      >
        {trans.__('Columns')}
      </button>
    </>
  );
}

/** The toolbar above the graph. */
export function LineageToolbar(props: IToolbarProps): React.JSX.Element {
  const { drawing, table, setTable, trans } = props;
  return (
    <div className="jp-Colophon-toolbar" role="toolbar" aria-label={trans.__('Lineage controls')}>
      <Choosers {...props} />
      <button
        type="button"
        className="jp-Colophon-button"
        aria-pressed={table}
        title={trans.__('Show the edges as a table')}
        onClick={() => setTable(!table)}
      >
        {trans.__('Table')}
      </button>
      <span className="jp-Colophon-spacer" />
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
        title={trans.__('Fit the graph into the view')}
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
