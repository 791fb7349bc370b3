import type { Lineage } from '../generated/api';
import { PLAIN_APPEARANCE } from '../lineage/card-layer';
import type { ICardColumns } from '../lineage/columns';
import { FIRST_COLUMNS, listColumns, NEXT_COLUMNS, selectColumns } from '../lineage/columns';
import { foldGraph } from '../lineage/fold';
import type { IFolding } from '../lineage/folding';
import { NO_FOLDING, openGroup } from '../lineage/folding';
import { getEdgeId, mergeAnswers } from '../lineage/graph';
import { computeLayout } from '../lineage/layout';
import { toDigraph, createScene } from '../lineage/scene';
import type { IHighlight, IViewActions } from '../lineage/view';
import { LineageView, NO_HIGHLIGHT } from '../lineage/view';
import { createLabels } from '../panels/lineage/labels';
import { getOptionsOf } from '../panels/lineage/options';
import { createRunBadges } from '../panels/lineage/run-badges';
import { formatView } from '../panels/lineage/view-text';
import type { IOutputContext } from './output';

const MIN_HEIGHT = 120;
const MAX_HEIGHT = 380;
const EXTRA_HEIGHT = 56;

/** Draws an answer into an element. */
export function drawLineage(host: HTMLElement, answer: Lineage, context: IOutputContext): LineageView {
  const { trans } = context;
  const whole = mergeAnswers([answer]);
  const name = whole.nodes.find(node => node.urn === whole.focus)?.name ?? whole.focus;
  const stage = document.createElement('div');
  const open = document.createElement('button');
  open.type = 'button';
  open.className = 'jp-Colophon-button';
  open.textContent = trans.__('Open lineage of %1', name);
  const shown = formatView({ options: getOptionsOf(answer) });
  const openGraph = (): void => context.openLineage(whole.focus, shown);
  open.onclick = openGraph;
  host.append(stage, open);
  const fields = listColumns(whole);
  const appearance = { ...PLAIN_APPEARANCE, badges: createRunBadges(whole, trans) };
  let folding: IFolding = NO_FOLDING;
  let highlight: IHighlight = NO_HIGHLIGHT;
  const columns = new Map<string, ICardColumns>();
  const draw = (expanded: string | null = null): void => {
    const graph = foldGraph(whole, folding);
    const scene = createScene(graph, computeLayout(toDigraph(graph, columns)), columns);
    stage.style.height = `${Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, scene.height + EXTRA_HEIGHT))}px`;
    view.show(scene, expanded, appearance);
  };
  const setHighlight = (change: Partial<IHighlight>): void => {
    highlight = { ...NO_HIGHLIGHT, column: highlight.column, ...change };
    view.highlight(highlight);
  };
  const showColumns = (urn: string, room: number): void => {
    columns.set(urn, selectColumns(fields.get(urn) ?? [], room, new Set()));
    draw(urn);
  };
  const actions: IViewActions = {
    selectNode: urn => setHighlight({ node: urn }),
    selectEdge: edge => setHighlight({ edge: getEdgeId(edge) }),
    selectColumn: column => setHighlight({ column }),
    clearSelection: () => setHighlight({ column: null }),
    open: urn => context.openEntity(urn),
    expand: openGraph,
    collapse: openGraph,
    openGroup: urn => {
      folding = openGroup(folding, urn);
      draw(urn);
    },
    toggleColumns: urn => (columns.delete(urn) ? draw(urn) : showColumns(urn, FIRST_COLUMNS)),
    showMoreColumns: urn => showColumns(urn, (columns.get(urn)?.fields.length ?? 0) + NEXT_COLUMNS)
  };
  const options = { minScale: 0.6, zoomsOnWheel: false, hasMinimap: false };
  const view = new LineageView(stage, createLabels(name, trans), actions, options);
  draw();
  return view;
}
