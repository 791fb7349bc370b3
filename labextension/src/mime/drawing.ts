import type { Lineage } from '../generated/api';
import { bounded, edgeId, joined } from '../lineage/graph';
import { layout } from '../lineage/layout';
import { digraphOf, sceneOf } from '../lineage/scene';
import type { IViewActions } from '../lineage/view';
import { LineageView } from '../lineage/view';
import { graphWords } from '../panels/lineage/words';
import type { IOutside } from './output';

/** Outputs are for a glance: the whole of it is a command away. */
const NODES_MOST = 100;
const HEIGHT_LEAST = 120;
const HEIGHT_MOST = 380;
const HEIGHT_AROUND = 56;

/** Draws an answer into an element. */
export function drawn(host: HTMLElement, answer: Lineage, outside: IOutside): LineageView {
  const { trans } = outside;
  const graph = bounded(joined([answer]), NODES_MOST);
  const name = graph.nodes.find(node => node.urn === graph.focus)?.name ?? graph.focus;
  const stage = document.createElement('div');
  const open = document.createElement('button');
  open.type = 'button';
  open.className = 'jp-Colophon-button';
  open.textContent = trans.__('Open lineage of %1', name);
  open.onclick = () => outside.openLineage(graph.focus);
  host.append(stage, open);
  const scene = sceneOf(graph, layout(digraphOf(graph)));
  stage.style.height = `${Math.min(HEIGHT_MOST, Math.max(HEIGHT_LEAST, scene.height + HEIGHT_AROUND))}px`;
  const actions: IViewActions = {
    pickNode: urn => view.pick({ node: urn, edge: null }),
    pickEdge: edge => view.pick({ node: null, edge: edgeId(edge) }),
    pickNothing: () => view.pick({ node: null, edge: null }),
    open: urn => outside.openEntity(urn),
    expand: () => outside.openLineage(graph.focus)
  };
  const view = new LineageView(stage, graphWords(name, trans), actions, { leastScale: 0.4, wheelZooms: false });
  view.show(scene);
  return view;
}
