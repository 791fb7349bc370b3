import type { Lineage } from '../generated/api';
import { limitNodes, getEdgeId, mergeAnswers } from '../lineage/graph';
import { computeLayout } from '../lineage/layout';
import { toDigraph, createScene } from '../lineage/scene';
import type { IViewActions } from '../lineage/view';
import { LineageView } from '../lineage/view';
import { createLabels } from '../panels/lineage/labels';
import type { IOutputContext } from './output';

/** Outputs are limited in size; a command opens the whole graph. */
const MAX_NODES = 100;
const MIN_HEIGHT = 120;
const MAX_HEIGHT = 380;
const EXTRA_HEIGHT = 56;

/** Draws an answer into an element. */
export function drawLineage(host: HTMLElement, answer: Lineage, context: IOutputContext): LineageView {
  const { trans } = context;
  const graph = limitNodes(mergeAnswers([answer]), MAX_NODES);
  const name = graph.nodes.find(node => node.urn === graph.focus)?.name ?? graph.focus;
  const stage = document.createElement('div');
  const open = document.createElement('button');
  open.type = 'button';
  open.className = 'jp-Colophon-button';
  open.textContent = trans.__('Open lineage of %1', name);
  open.onclick = () => context.openLineage(graph.focus);
  host.append(stage, open);
  const scene = createScene(graph, computeLayout(toDigraph(graph)));
  stage.style.height = `${Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, scene.height + EXTRA_HEIGHT))}px`;
  const actions: IViewActions = {
    selectNode: urn => view.highlight({ node: urn, edge: null }),
    selectEdge: edge => view.highlight({ node: null, edge: getEdgeId(edge) }),
    clearSelection: () => view.highlight({ node: null, edge: null }),
    open: urn => context.openEntity(urn),
    expand: () => context.openLineage(graph.focus)
  };
  const view = new LineageView(stage, createLabels(name, trans), actions, { minScale: 0.4, zoomsOnWheel: false });
  view.show(scene);
  return view;
}
