import type { ISignal } from '@lumino/signaling';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { LineageView } from '../../lineage/view';
import { hiddenCount } from '../../lineage/graph';
import { svgOf } from '../../lineage/svg';
import { ProblemNote } from '../../components/problem';
import { shortUrn } from '../../model/urns';
import { useModel } from '../../components/use-model';
import { LineageDetails } from './details';
import { Drawing } from './drawing';
import type { ILineageState, LineageModel } from './model';
import { NODES_MOST } from './model';
import { LineageTable } from './table';
import { LineageToolbar } from './toolbar';
import { graphWords, nodeName } from './words';

interface ILineageProps {
  model: LineageModel;
  open: (urn: string) => void;
  openLineage: (urn: string) => void;
  themeChanged: ISignal<unknown, unknown> | null;
  trans: TranslationBundle;
}

/** Hands a text to the browser as a file. */
function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

function summary(state: ILineageState, trans: TranslationBundle): string {
  const { graph } = state.scene;
  if (!state.answered) {
    return state.busy ? trans.__('Loading…') : '';
  }
  if (state.unknownThen) {
    return trans.__('The catalog did not know this entity at that time.');
  }
  const counts = [
    trans._n('%1 node', '%1 nodes', graph.nodes.length),
    trans._n('%1 edge', '%1 edges', graph.edges.length)
  ].join(', ');
  if (graph.cut > 0) {
    return trans.__('%1. The nearest %2 nodes are shown; %3 more were found.', counts, NODES_MOST, graph.cut);
  }
  return graph.truncated ? trans.__('%1. There is more: expand a node to go on.', counts) : counts;
}

/** Says that an expansion found no room, and leads to a graph that has some. */
function Full({ model, openLineage, trans }: ILineageProps): React.JSX.Element | null {
  const { full } = useModel(model);
  if (!full) {
    return null;
  }
  const { node, side } = full;
  const words =
    side === 'upstream'
      ? trans.__(
          'The graph shows at most %1 nodes: %2 upstream of %3 stay hidden.',
          NODES_MOST,
          hiddenCount(node, side),
          nodeName(node)
        )
      : trans.__(
          'The graph shows at most %1 nodes: %2 downstream of %3 stay hidden.',
          NODES_MOST,
          hiddenCount(node, side),
          nodeName(node)
        );
  return (
    <p role="status" className="jp-Colophon-warning">
      {words}{' '}
      {node.urn !== model.urn && (
        <button type="button" className="jp-Colophon-link" onClick={() => openLineage(node.urn)}>
          {trans.__('Open the lineage of %1', nodeName(node))}
        </button>
      )}
    </p>
  );
}

/** View of the lineage panel. */
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
      const words = graphWords(shortUrn(model.urn), trans);
      save(`lineage-${shortUrn(model.urn)}.svg`, svgOf(model.state.scene, words, family));
    }
  };
  const alone = state.answered && !state.unknownThen && state.scene.graph.edges.length === 0;
  return (
    <div className="jp-Colophon-lineageBody" aria-busy={state.busy}>
      <LineageToolbar model={model} drawing={drawing} table={table} setTable={setTable} trans={trans} />
      {state.problem && <ProblemNote problem={state.problem} trans={trans} retry={() => void model.refresh()} />}
      <Full {...props} />
      {state.choice.columns && !state.selection.node && !state.selection.edge && (
        <p role="status" className="jp-Colophon-note jp-Colophon-hint">
          {trans.__('Choose a node to see its columns.')}
        </p>
      )}
      <div className="jp-Colophon-stage">
        <div className="jp-Colophon-pictures">
          <Drawing model={model} open={open} themeChanged={props.themeChanged} ready={setView} trans={trans} />
          {table && <LineageTable model={model} trans={trans} />}
        </div>
        <LineageDetails model={model} open={open} openLineage={props.openLineage} trans={trans} />
      </div>
      <p role="status" aria-live="polite" className="jp-Colophon-summary">
        {summary(state, trans)}
        {alone && ` · ${trans.__('nothing read or wrote this in the chosen time')}`}
      </p>
    </div>
  );
}
