import type { ISignal } from '@lumino/signaling';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { LineageView } from '../../lineage/view';
import { formatHiddenCount } from '../../lineage/graph';
import { exportSvg } from '../../lineage/svg';
import { ProblemNote } from '../../components/problem';
import type { ICellPlace } from '../../model/cell-place';
import { shortenUrn } from '../../model/urns';
import { useModel } from '../../components/use-model';
import { LineageDetails } from './details';
import { Drawing } from './drawing';
import type { ILineageState, LineageModel } from './model';
import { MAX_NODES } from './model';
import { LineageTable } from './table';
import { LineageToolbar } from './toolbar';
import { createLabels, getNodeName } from './labels';

interface ILineageProps {
  model: LineageModel;
  open: (urn: string) => void;
  openLineage: (urn: string) => void;
  openCell: (place: ICellPlace) => void;
  themeChanged: ISignal<unknown, unknown> | null;
  trans: TranslationBundle;
}

/** Downloads an SVG text as a file. */
function downloadSvg(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

function summarize(state: ILineageState, trans: TranslationBundle): string {
  const { graph } = state.scene;
  if (!state.answered) {
    return state.busy ? trans.__('Loading…') : '';
  }
  if (state.isUnknownThen) {
    return trans.__('This entity did not exist at that time.');
  }
  const counts = [
    trans._n('%1 node', '%1 nodes', graph.nodes.length),
    trans._n('%1 edge', '%1 edges', graph.edges.length)
  ].join(', ');
  if (graph.omittedNodes > 0) {
    return trans.__('%1. The nearest %2 nodes are shown; %3 more are hidden.', counts, MAX_NODES, graph.omittedNodes);
  }
  return graph.truncated ? trans.__('%1. Some nodes are hidden: expand a node to show more.', counts) : counts;
}

/** An expansion did not fit into the graph, with a link to a graph with room for it. */
function FullNote({ model, openLineage, trans }: ILineageProps): React.JSX.Element | null {
  const { fullSide } = useModel(model);
  if (!fullSide) {
    return null;
  }
  const { node, side } = fullSide;
  const message =
    side === 'upstream'
      ? trans.__(
          'The graph shows at most %1 nodes: %2 upstream of %3 stay hidden.',
          MAX_NODES,
          formatHiddenCount(node, side),
          getNodeName(node)
        )
      : trans.__(
          'The graph shows at most %1 nodes: %2 downstream of %3 stay hidden.',
          MAX_NODES,
          formatHiddenCount(node, side),
          getNodeName(node)
        );
  return (
    <p role="status" className="jp-Colophon-warning">
      {message}{' '}
      {node.urn !== model.urn && (
        <button type="button" className="jp-Colophon-link" onClick={() => openLineage(node.urn)}>
          {trans.__('Open the lineage of %1', getNodeName(node))}
        </button>
      )}
    </p>
  );
}

/** The body of the lineage panel. */
export function LineageBody(props: ILineageProps): React.JSX.Element {
  const { model, open, trans } = props;
  const state = useModel(model);
  const [table, setTable] = React.useState(false);
  const [view, setView] = React.useState<LineageView | null>(null);
  const drawing = {
    fit: () => view?.fit(),
    zoom: (steps: number) => view?.zoom(steps),
    save: () => {
      const family = getComputedStyle(view?.host ?? document.body).fontFamily || 'sans-serif';
      const words = createLabels(shortenUrn(model.urn), trans);
      downloadSvg(`lineage-${shortenUrn(model.urn)}.svg`, exportSvg(model.state.scene, words, family));
    }
  };
  const isIsolated = state.answered && !state.isUnknownThen && state.scene.graph.edges.length === 0;
  return (
    <div className="jp-Colophon-lineageBody" aria-busy={state.busy}>
      <LineageToolbar model={model} drawing={drawing} table={table} setTable={setTable} trans={trans} />
      {state.problem && <ProblemNote problem={state.problem} trans={trans} retry={() => void model.refresh()} />}
      <FullNote {...props} />
      {state.options.columns && !state.selection.node && !state.selection.edge && (
        <p role="status" className="jp-Colophon-note jp-Colophon-hint">
          {trans.__('Select a node to see its columns.')}
        </p>
      )}
      <div className="jp-Colophon-stage">
        <div className="jp-Colophon-views">
          <Drawing model={model} open={open} themeChanged={props.themeChanged} onReady={setView} trans={trans} />
          {table && <LineageTable model={model} trans={trans} />}
        </div>
        <LineageDetails
          model={model}
          open={open}
          openLineage={props.openLineage}
          openCell={props.openCell}
          trans={trans}
        />
      </div>
      <p role="status" aria-live="polite" className="jp-Colophon-summary">
        {summarize(state, trans)}
        {isIsolated && ` · ${trans.__('no reads or writes in the selected time')}`}
      </p>
    </div>
  );
}
