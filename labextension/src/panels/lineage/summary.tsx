import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { useModel } from '../../components/use-model';
import type { ILineageState, LineageModel } from './model';
import type { INews } from './news';

interface ISummaryProps {
  model: LineageModel;
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

/** Describes what others added. */
function describeNews(news: INews, trans: TranslationBundle): string {
  return trans.__(
    'added just now: %1, %2',
    trans._n('%1 node', '%1 nodes', news.nodes),
    trans._n('%1 edge', '%1 edges', news.edges)
  );
}

/** The numbers of nodes and edges, what others added, and a button for what the server omitted. */
export function Summary({ model, trans }: ISummaryProps): React.JSX.Element {
  const state = useModel(model);
  const { whole, scene, news } = state;
  const isIsolated = state.answered && !state.isUnknownThen && scene.graph.edges.length === 0;
  return (
    <div className="jp-Colophon-summary">
      <p role="status" aria-live="polite">
        {summarize(state, trans)}
        {isIsolated && ` · ${trans.__('no reads or writes in the selected time')}`}
        {whole.truncated && ` · ${trans.__('there are more')}`}
        {news && ` · ${describeNews(news, trans)}`}
      </p>
      {whole.truncated && whole.frontier.length > 0 && (
        <button type="button" className="jp-Colophon-link" disabled={state.busy} onClick={() => void model.loadMore()}>
          {trans.__('Load more')}
        </button>
      )}
    </div>
  );
}
