import type { ISignal } from '@lumino/signaling';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { LineageView } from '../../lineage/view';
import { ProblemNote } from '../../components/problem';
import { IntervalInputs } from '../../components/interval-inputs';
import { useModel } from '../../components/use-model';
import { useRegistry } from '../../components/use-registry';
import type { ICellPlace } from '../../model/notebooks/cell-place';
import type { ILineageDecorator } from '../../tokens';
import { createActions } from './actions-menu';
import { LineageDetails } from './details';
import { Drawing } from './drawing';
import { createExports } from './export-menu';
import { Legend } from './legend';
import type { LineageModel } from './model';
import { PathNote } from './path-note';
import { Summary } from './summary';
import { LineageTable } from './table';
import { Timeline } from './timeline';
import type { PanelPart } from './toolbar';
import { LineageToolbar } from './toolbar';

interface ILineageProps {
  model: LineageModel;
  open: (urn: string) => void;
  openLineage: (urn: string) => void;
  openCell: (place: ICellPlace) => void;
  /** Copies a text to the clipboard. */
  copy: (text: string) => void;
  /** Returns the link that opens a view of an entity. */
  createLink: (urn: string, view: string) => string;
  decorator: ILineageDecorator | null;
  themeChanged: ISignal<unknown, unknown> | null;
  trans: TranslationBundle;
}

/** The body of the lineage panel. */
export function LineageBody(props: ILineageProps): React.JSX.Element {
  const { model, open, trans } = props;
  const state = useModel(model);
  const [parts, setParts] = React.useState<ReadonlySet<PanelPart>>(new Set());
  const [view, setView] = React.useState<LineageView | null>(null);
  const togglePart = (part: PanelPart): void => {
    const next = new Set(parts);
    if (!next.delete(part)) {
      next.add(part);
    }
    setParts(next);
  };
  const drawing = {
    fit: () => view?.fit(),
    zoom: (steps: number) => view?.zoom(steps),
    centre: (urn: string, field?: string) => view?.centreNode(urn, field)
  };
  const root = React.useRef<HTMLDivElement>(null);
  // The menu of actions is closed first, and what an action shows is rendered.
  const withControl = (name: string, act: (control: HTMLElement) => void): void =>
    void requestAnimationFrame(() => {
      const control = root.current?.querySelector<HTMLElement>(`[data-control=${name}]`);
      if (control) {
        act(control);
      }
    });
  const focusControl = (name: string): void => withControl(name, control => control.focus());
  const actions = createActions({
    model,
    showTimeline: input => {
      setParts(new Set(parts).add('timeline'));
      focusControl(input);
    },
    focusChoice: focusControl,
    openExports: () => withControl('export', control => control.click()),
    trans
  });
  const decorations = useRegistry(props.decorator);
  const hasTimeline = parts.has('timeline') || state.options.asOf !== '' || state.options.since !== '';
  return (
    <div ref={root} className="jp-Colophon-lineageBody" aria-busy={state.busy}>
      <LineageToolbar
        model={model}
        drawing={drawing}
        parts={parts}
        togglePart={togglePart}
        decorations={decorations}
        actions={actions}
        exports={createExports({ ...props, view, decorations })}
        trans={trans}
      />
      <IntervalInputs
        interval={state.options.interval}
        choose={interval => void model.setOptions({ interval })}
        trans={trans}
      />
      {hasTimeline && <Timeline model={model} trans={trans} />}
      {state.problem && <ProblemNote problem={state.problem} trans={trans} retry={() => void model.refresh()} />}
      <PathNote model={model} trans={trans} />
      <div className="jp-Colophon-stage">
        <div className="jp-Colophon-views">
          <div className="jp-Colophon-drawing">
            <Drawing
              model={model}
              open={open}
              decorations={decorations}
              themeChanged={props.themeChanged}
              onReady={setView}
              trans={trans}
            />
            {parts.has('legend') && <Legend model={model} trans={trans} />}
          </div>
          {parts.has('table') && <LineageTable model={model} trans={trans} />}
        </div>
        <LineageDetails
          model={model}
          open={open}
          openLineage={props.openLineage}
          openCell={props.openCell}
          trans={trans}
        />
      </div>
      <Summary model={model} trans={trans} />
    </div>
  );
}
