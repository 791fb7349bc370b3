import type { ISignal } from '@lumino/signaling';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { LineageView } from '../../lineage/view';
import { exportSvg } from '../../lineage/svg';
import { ProblemNote } from '../../components/problem';
import type { ICellPlace } from '../../model/cell-place';
import { shortenUrn } from '../../model/urns';
import { useModel } from '../../components/use-model';
import type { ILineageDecoration, ILineageDecorator } from '../../tokens';
import { LineageDetails } from './details';
import { Drawing } from './drawing';
import { convertToPng, createDocument, downloadFile } from './exports';
import { createLabels, getNodeName } from './labels';
import { Legend } from './legend';
import type { IMenuItem } from './menu';
import type { ILineageState, LineageModel } from './model';
import { formatMagic, formatView } from './options';
import { LineageTable } from './table';
import { IntervalInputs, Timeline } from './timeline';
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

function summarize(state: ILineageState, trans: TranslationBundle): string {
  const { whole, scene } = state;
  if (!state.answered) {
    return state.busy ? trans.__('Loading…') : '';
  }
  if (state.isUnknownThen) {
    return trans.__('This entity did not exist at that time.');
  }
  const counts = [
    trans._n('%1 node', '%1 nodes', whole.nodes.length),
    trans._n('%1 edge', '%1 edges', whole.edges.length)
  ].join(', ');
  const drawn = scene.graph.nodes.filter(node => !node.members).length;
  return drawn < whole.nodes.length ? trans.__('%1; %2 are drawn, the others are folded', counts, drawn) : counts;
}

/** The numbers of nodes and edges, and a button for what the server omitted. */
function Summary({ model, trans }: ILineageProps): React.JSX.Element {
  const state = useModel(model);
  const { whole, scene } = state;
  const isIsolated = state.answered && !state.isUnknownThen && scene.graph.edges.length === 0;
  return (
    <div className="jp-Colophon-summary">
      <p role="status" aria-live="polite">
        {summarize(state, trans)}
        {isIsolated && ` · ${trans.__('no reads or writes in the selected time')}`}
        {whole.truncated && ` · ${trans.__('there are more')}`}
      </p>
      {whole.truncated && whole.frontier.length > 0 && (
        <button type="button" className="jp-Colophon-link" disabled={state.busy} onClick={() => void model.loadMore()}>
          {trans.__('Load more')}
        </button>
      )}
    </div>
  );
}

/** The state of a path between two nodes. */
function PathNote({ model, trans }: ILineageProps): React.JSX.Element | null {
  const { pathStart, path, whole } = useModel(model);
  const getName = (urn: string): string => {
    const node = whole.nodes.find(other => other.urn === urn);
    return node ? getNodeName(node) : shortenUrn(urn);
  };
  const message = pathStart
    ? trans.__('Select the node to which the path from %1 leads.', getNodeName(pathStart))
    : path &&
      (path.count === 0
        ? trans.__('No path leads between %1 and %2.', getName(path.from), getName(path.to))
        : trans._n(
            '%1 shortest path from %2 to %3',
            '%1 shortest paths from %2 to %3',
            path.count,
            getName(path.from),
            getName(path.to)
          ));
  return message === null ? null : (
    <p role="status" className="jp-Colophon-note jp-Colophon-hint">
      {message}{' '}
      <button type="button" className="jp-Colophon-link" onClick={() => void model.clearPath()}>
        {trans.__('Clear path')}
      </button>
    </p>
  );
}

const NO_DECORATIONS: readonly ILineageDecoration[] = [];

/** Returns the marks of nodes that extensions offer now. */
function useDecorations(decorator: ILineageDecorator | null): readonly ILineageDecoration[] {
  const [items, setItems] = React.useState(decorator?.items ?? NO_DECORATIONS);
  React.useEffect(() => {
    const update = (): void => setItems(decorator?.items ?? NO_DECORATIONS);
    decorator?.changed.connect(update);
    return () => {
      decorator?.changed.disconnect(update);
    };
  }, [decorator]);
  return items;
}

/** Creates the items of the menu that exports the graph. */
function createExports(props: ILineageProps, view: LineageView | null): IMenuItem[] {
  const { model, copy, createLink, trans } = props;
  const name = `lineage-${shortenUrn(model.urn)}`;
  const drawSvg = (): string => {
    const family = getComputedStyle(view?.host ?? document.body).fontFamily || 'sans-serif';
    return exportSvg(model.state.scene, createLabels(shortenUrn(model.urn), trans), family);
  };
  const { whole, options } = model.state;
  return [
    {
      label: trans.__('Save as SVG'),
      onClick: () => downloadFile(`${name}.svg`, new Blob([drawSvg()], { type: 'image/svg+xml' }))
    },
    {
      label: trans.__('Save as PNG'),
      onClick: () => void convertToPng(drawSvg()).then(picture => downloadFile(`${name}.png`, picture))
    },
    {
      label: trans.__('Save as JSON'),
      onClick: () => {
        const text = JSON.stringify(createDocument(whole, options), null, 2);
        downloadFile(`${name}.json`, new Blob([text], { type: 'application/json' }));
      }
    },
    { label: trans.__('Copy link to this view'), onClick: () => copy(createLink(model.urn, formatView(options))) },
    { label: trans.__('Copy as %metadata'), onClick: () => copy(formatMagic(model.urn, options)) }
  ];
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
  const decorations = useDecorations(props.decorator);
  const hasTimeline = parts.has('timeline') || state.options.asOf !== '' || state.options.since !== '';
  return (
    <div className="jp-Colophon-lineageBody" aria-busy={state.busy}>
      <LineageToolbar
        model={model}
        drawing={drawing}
        parts={parts}
        togglePart={togglePart}
        decorations={decorations}
        exports={createExports(props, view)}
        trans={trans}
      />
      <IntervalInputs model={model} trans={trans} />
      {hasTimeline && <Timeline model={model} trans={trans} />}
      {state.problem && <ProblemNote problem={state.problem} trans={trans} retry={() => void model.refresh()} />}
      <PathNote {...props} />
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
      <Summary {...props} />
    </div>
  );
}
