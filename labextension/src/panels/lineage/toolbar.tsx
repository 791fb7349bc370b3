import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { COLOURINGS } from '../../lineage/colouring';
import type { Interval } from '../../model/interval';
import { useModel } from '../../components/use-model';
import type { ILineageDecoration } from '../../tokens';
import { IconButton, IconSelect } from './icons';
import type { LineageModel } from './model';
import { SearchBox } from './search-box';
import type { IMenuItem } from './menu';
import { MenuButton } from './menu';

const LEVELS = [1, 2, 3, 5, 10, 20];

/** The parts of the panel that the toolbar shows and hides. */
export type PanelPart = 'table' | 'legend' | 'timeline';

/** The actions of the toolbar on the drawing. */
interface IDrawing {
  fit(): void;
  zoom(steps: number): void;
  /** Brings a node, or a column of it, into view. */
  centre(urn: string, field?: string): void;
}

interface IToolbarProps {
  model: LineageModel;
  drawing: IDrawing;
  parts: ReadonlySet<PanelPart>;
  togglePart: (part: PanelPart) => void;
  /** The marks of nodes that extensions offer. */
  decorations: readonly ILineageDecoration[];
  actions: readonly IMenuItem[];
  exports: readonly IMenuItem[];
  trans: TranslationBundle;
}

function Choosers({ model, trans }: IToolbarProps): React.JSX.Element {
  const { options } = useModel(model);
  const levels = LEVELS.includes(options.levels) ? LEVELS : [...LEVELS, options.levels].sort((a, b) => a - b);
  const chooseInterval = (kind: Interval['kind']): void =>
    void model.setOptions({ interval: kind === 'custom' ? { kind, from: '', to: '' } : { kind } });
  return (
    <>
      <IconSelect
        icon="direction"
        label={trans.__('Direction')}
        value={options.direction}
        choices={[
          ['both', trans.__('Both')],
          ['upstream', trans.__('Upstream')],
          ['downstream', trans.__('Downstream')],
          ['undirected', trans.__('Undirected')]
        ]}
        onChange={direction => void model.setOptions({ direction })}
      />
      <IconSelect
        icon="levels"
        label={trans.__('Levels')}
        value={String(options.levels)}
        choices={levels.map(count => [String(count), String(count)] as const)}
        onChange={count => void model.setOptions({ levels: Number(count) })}
      />
      <IconSelect
        icon="time"
        label={trans.__('Time')}
        value={options.interval.kind}
        choices={[
          ['all', trans.__('All time')],
          ['hour', trans.__('Last hour')],
          ['day', trans.__('Last day')],
          ['week', trans.__('Last week')],
          ['custom', trans.__('From … to …')]
        ]}
        onChange={chooseInterval}
      />
    </>
  );
}

function Appearances({ model, decorations, trans }: IToolbarProps): React.JSX.Element {
  const { options } = useModel(model);
  return (
    <>
      <IconSelect
        icon="colour"
        label={trans.__('Colour by')}
        value={options.decoration === '' ? options.colouring : options.decoration}
        choices={[
          ['none', trans.__('No colour')],
          ['type', trans.__('Type')],
          ['freshness', trans.__('Freshness')],
          ['tag', trans.__('Tag')],
          ...decorations.map(({ id, label }) => [id, label] as const)
        ]}
        onChange={choice => {
          const colouring = COLOURINGS.find(name => name === choice);
          void model.setOptions({ colouring: colouring ?? 'none', decoration: colouring ? '' : choice });
        }}
      />
      <IconSelect
        icon="group"
        label={trans.__('Group by')}
        value={options.grouping}
        choices={[
          ['none', trans.__('No groups')],
          ['notebook', trans.__('Notebook')],
          ['namespace', trans.__('Namespace')],
          ['pipeline', trans.__('Pipeline')]
        ]}
        onChange={grouping => void model.setOptions({ grouping })}
      />
    </>
  );
}

function Toggles({ model, parts, togglePart, trans }: IToolbarProps): React.JSX.Element {
  const { options } = useModel(model);
  return (
    <>
      <IconButton
        icon="columns"
        label={trans.__('Columns')}
        title={trans.__('Show the columns of tables, and the edges between them')}
        pressed={options.columns}
        onClick={() => void model.setOptions({ columns: !options.columns })}
      />
      <IconButton
        icon="control"
        label={trans.__('Control dependencies')}
        title={trans.__('Show columns that only select, join, group or sort rows (dashed)')}
        pressed={options.control}
        onClick={() => void model.setOptions({ control: !options.control })}
      />
      <IconButton
        icon="variables"
        label={trans.__('Variables')}
        title={trans.__('Show the variables through which data flows from cell to cell')}
        pressed={options.variables}
        onClick={() => void model.setOptions({ variables: !options.variables })}
      />
      <IconButton
        icon="table"
        label={trans.__('Table')}
        title={trans.__('Show the edges as a table')}
        pressed={parts.has('table')}
        onClick={() => togglePart('table')}
      />
      <IconButton
        icon="legend"
        label={trans.__('Legend')}
        pressed={parts.has('legend')}
        onClick={() => togglePart('legend')}
      />
    </>
  );
}

/** The toolbar above the graph: one row, with names if there is room; it wraps if it is too narrow. */
export function LineageToolbar(props: IToolbarProps): React.JSX.Element {
  const { model, drawing, parts, togglePart, actions, exports, trans } = props;
  const { options } = useModel(model);
  return (
    <div className="jp-Colophon-toolbar" role="toolbar" aria-label={trans.__('Lineage controls')}>
      <div className="jp-Colophon-toolbarControls">
        <Choosers {...props} />
        <IconButton
          icon="play"
          label={trans.__('Timeline')}
          title={trans.__('Show the lineage as of an earlier time, or compare two times')}
          pressed={parts.has('timeline') || options.asOf !== '' || options.since !== ''}
          onClick={() => togglePart('timeline')}
        />
        <span className="jp-Colophon-separator" />
        <Toggles {...props} />
        <Appearances {...props} />
        <span className="jp-Colophon-separator" />
        <IconButton icon="zoomOut" label={trans.__('Zoom out')} onClick={() => drawing.zoom(-1)} />
        <IconButton icon="zoomIn" label={trans.__('Zoom in')} onClick={() => drawing.zoom(1)} />
        <IconButton
          icon="fit"
          label={trans.__('Fit')}
          title={trans.__('Fit the graph into the view')}
          onClick={() => drawing.fit()}
        />
      </div>
      <SearchBox model={model} centre={(urn, field) => drawing.centre(urn, field)} trans={trans} />
      <MenuButton icon="actions" label={trans.__('Actions')} items={actions} />
      <MenuButton icon="export" label={trans.__('Export')} items={exports} />
    </div>
  );
}
