import type { ICardColumns, IColumn } from './columns';
import { getFieldId, isControl } from './columns';
import type { ICurve } from './curves';
import { createCurves, measureDistance } from './curves';
import type { IColumnEdge, IEdge, IGraph, INode } from './graph';
import type { IDigraph } from './layering';
import type { ILayout, IPoint } from './layout';
import { COLUMN_HEIGHT, NODE_HEIGHT, NODE_WIDTH } from './layout';
import type { ISize } from './viewport';

/** A node with its position. */
export interface IPlacedNode {
  node: INode;
  at: IPoint;
  height: number;
  /** The columns that the card shows; null if it is not expanded. */
  columns: ICardColumns | null;
}

/** The bounds of a part of the drawing. */
export interface IBounds {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** An edge with its curves. */
export interface IPlacedEdge {
  edge: IEdge;
  curves: ICurve[];
  backward: boolean;
  bounds: IBounds;
}

/** An edge between the columns of two cards. */
export interface IPlacedColumnEdge {
  edge: IColumnEdge;
  curves: ICurve[];
  isControl: boolean;
  bounds: IBounds;
}

/** A graph with its layout. */
export interface IScene {
  graph: IGraph;
  nodes: Map<string, IPlacedNode>;
  edges: IPlacedEdge[];
  columnEdges: IPlacedColumnEdge[];
  width: number;
  height: number;
}

/** The expanded cards: their columns by URN. */
export type CardColumns = ReadonlyMap<string, ICardColumns>;

export const EMPTY_SCENE: Omit<IScene, 'graph'> = { nodes: new Map(), edges: [], columnEdges: [], width: 0, height: 0 };

/** The room below the last column of a card. */
const COLUMNS_MARGIN = 6;

/** Returns the height of a card. */
function getCardHeight(columns: ICardColumns | undefined): number {
  if (!columns) {
    return NODE_HEIGHT;
  }
  const rows = Math.max(1, columns.fields.length + (columns.hidden > 0 ? 1 : 0));
  return NODE_HEIGHT + rows * COLUMN_HEIGHT + COLUMNS_MARGIN;
}

/** Converts a graph for the layout, with numbers as nodes. */
export function toDigraph(graph: IGraph, columns: CardColumns = new Map()): IDigraph {
  const at = new Map(graph.nodes.map((node, index) => [node.urn, index]));
  return {
    count: graph.nodes.length,
    edges: graph.edges.map(edge => [at.get(edge.source) ?? 0, at.get(edge.target) ?? 0] as const),
    ...(columns.size > 0 ? { heights: graph.nodes.map(node => getCardHeight(columns.get(node.urn))) } : {})
  };
}

/** Returns the bounds of curves: those of their ends and bends, which contain them. */
function getBounds(curves: readonly ICurve[]): IBounds {
  const bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const curve of curves) {
    for (const { x, y } of [curve.from, curve.bend1, curve.bend2, curve.to]) {
      bounds.left = Math.min(bounds.left, x);
      bounds.right = Math.max(bounds.right, x);
      bounds.top = Math.min(bounds.top, y);
      bounds.bottom = Math.max(bounds.bottom, y);
    }
  }
  return bounds;
}

/** Returns the vertical centre of a column; that of the head of the card if the column is not shown. */
function getColumnY({ at, columns }: IPlacedNode, field: string): number {
  const row = columns?.fields.indexOf(field) ?? -1;
  return row < 0 ? at.y + NODE_HEIGHT / 2 : at.y + NODE_HEIGHT + (row + 0.5) * COLUMN_HEIGHT;
}

/** Places the edges between columns of which at least one is shown. */
function placeColumnEdges(graph: IGraph, nodes: IScene['nodes']): IPlacedColumnEdge[] {
  return graph.columns.flatMap(edge => {
    const source = nodes.get(edge.source);
    const target = nodes.get(edge.target);
    const isShown =
      source?.columns?.fields.includes(edge.sourceField) === true ||
      target?.columns?.fields.includes(edge.targetField) === true;
    if (!source || !target || !isShown) {
      return [];
    }
    const from = { x: source.at.x + NODE_WIDTH, y: getColumnY(source, edge.sourceField) };
    const to = { x: target.at.x, y: getColumnY(target, edge.targetField) };
    const curves = createCurves([from, to], false);
    return [{ edge, curves, isControl: isControl(edge), bounds: getBounds(curves) }];
  });
}

/** Combines a graph with its layout. */
export function createScene(graph: IGraph, layout: ILayout, columns: CardColumns = new Map()): IScene {
  const nodes = new Map(
    graph.nodes.map((node, index): [string, IPlacedNode] => {
      const shown = columns.get(node.urn);
      return [node.urn, { node, at: layout.nodes[index]!, height: getCardHeight(shown), columns: shown ?? null }];
    })
  );
  return {
    graph,
    nodes,
    edges: graph.edges.map((edge, index) => {
      const curves = createCurves(layout.routes[index]!, layout.backward[index]!);
      return { edge, curves, backward: layout.backward[index]!, bounds: getBounds(curves) };
    }),
    columnEdges: columns.size > 0 ? placeColumnEdges(graph, nodes) : [],
    width: layout.width,
    height: layout.height
  };
}

/** Whether a point is at most a distance outside of bounds. */
function isNear({ left, top, right, bottom }: IBounds, { x, y }: IPoint, distance: number): boolean {
  return x >= left - distance && x <= right + distance && y >= top - distance && y <= bottom + distance;
}

/** Returns the node at a point of the drawing; null if there is none. */
export function findNodeAt(scene: IScene, point: IPoint): INode | null {
  for (const { node, at, height } of scene.nodes.values()) {
    const across = point.x >= at.x && point.x <= at.x + NODE_WIDTH;
    if (across && point.y >= at.y && point.y <= at.y + height) {
      return node;
    }
  }
  return null;
}

/** Returns the nearest edge within a distance of a point; null if there is none. */
export function findEdgeAt(scene: IScene, point: IPoint, tolerance: number): IEdge | null {
  let best: IEdge | null = null;
  let nearest = tolerance;
  for (const { edge, curves } of scene.edges.filter(({ bounds }) => isNear(bounds, point, tolerance))) {
    const distance = Math.min(...curves.map(curve => measureDistance(curve, point)));
    if (distance <= nearest) {
      best = edge;
      nearest = distance;
    }
  }
  return best;
}

function sortByHeight(scene: IScene, urns: readonly string[], from: string): string[] {
  const y = scene.nodes.get(from)?.at.y ?? 0;
  const getOffset = (urn: string): number => Math.abs((scene.nodes.get(urn)?.at.y ?? 0) - y);
  return [...urns].sort((a, b) => getOffset(a) - getOffset(b));
}

/** Returns the nodes of the same column, from top to bottom. */
function listColumn(scene: IScene, urn: string): string[] {
  const x = scene.nodes.get(urn)?.at.x;
  return [...scene.nodes.values()]
    .filter(placed => placed.at.x === x)
    .sort((a, b) => a.at.y - b.at.y)
    .map(placed => placed.node.urn);
}

function listEnds(scene: IScene, side: 'source' | 'target'): string[] {
  const connected = new Set(scene.graph.edges.map(edge => edge[side]));
  const free = scene.graph.nodes.filter(node => !connected.has(node.urn)).map(node => node.urn);
  const getY = (urn: string): number => scene.nodes.get(urn)?.at.y ?? 0;
  return free.sort((a, b) => getY(a) - getY(b));
}

/**
 * Returns the node that a key leads to: right and left follow edges, up and down stay in the column,
 * Home and End go to the first source and the first final target.
 */
export function findNextNode(scene: IScene, urn: string, key: string): string | undefined {
  const { edges } = scene.graph;
  const rows = listColumn(scene, urn);
  switch (key) {
    case 'ArrowRight':
      return sortByHeight(
        scene,
        edges.filter(edge => edge.source === urn).map(edge => edge.target),
        urn
      )[0];
    case 'ArrowLeft':
      return sortByHeight(
        scene,
        edges.filter(edge => edge.target === urn).map(edge => edge.source),
        urn
      )[0];
    case 'ArrowDown':
      return rows[rows.indexOf(urn) + 1];
    case 'ArrowUp':
      return rows[rows.indexOf(urn) - 1];
    case 'Home':
      return listEnds(scene, 'target')[0];
    case 'End':
      return listEnds(scene, 'source')[0];
    default:
      return undefined;
  }
}

/** Returns the next node, from top to bottom and left to right, whose name begins with a text in lower case. */
export function findNodeByPrefix(
  scene: IScene,
  urn: string,
  text: string,
  getName: (node: INode) => string
): string | undefined {
  const order = [...scene.nodes.values()].sort((a, b) => a.at.x - b.at.x || a.at.y - b.at.y).map(({ node }) => node);
  const start = order.findIndex(node => node.urn === urn);
  // While a name is typed, the focused node matches as well; a single letter leads to the next one.
  const first = text.length > 1 ? start : start + 1;
  const turned = [...order.slice(first), ...order.slice(0, first)];
  return turned.find(node => getName(node).toLocaleLowerCase().startsWith(text))?.urn;
}

/** Returns the column that an arrow key leads to from a column; undefined if there is none. */
export function findNextColumn(scene: IScene, { urn, field }: IColumn, key: string): IColumn | undefined {
  const fields = scene.nodes.get(urn)?.columns?.fields ?? [];
  const isShown = (column: IColumn): boolean =>
    scene.nodes.get(column.urn)?.columns?.fields.includes(column.field) === true;
  // Where values flow to comes before what they only control.
  const edges = scene.columnEdges
    .map(placed => placed.edge)
    .sort((a, b) => Number(isControl(a)) - Number(isControl(b)));
  switch (key) {
    case 'ArrowDown':
    case 'ArrowUp': {
      const next = fields[fields.indexOf(field) + (key === 'ArrowDown' ? 1 : -1)];
      return next === undefined ? undefined : { urn, field: next };
    }
    case 'ArrowRight':
      return edges
        .filter(edge => getFieldId({ urn: edge.source, field: edge.sourceField }) === getFieldId({ urn, field }))
        .map(edge => ({ urn: edge.target, field: edge.targetField }))
        .find(isShown);
    case 'ArrowLeft':
      return edges
        .filter(edge => getFieldId({ urn: edge.target, field: edge.targetField }) === getFieldId({ urn, field }))
        .map(edge => ({ urn: edge.source, field: edge.sourceField }))
        .find(isShown);
    default:
      return undefined;
  }
}

/** Returns the box around a node and its new neighbours; null if there are none. */
export function getNewNodesBox(before: IScene, scene: IScene, urn: string): (IPoint & ISize) | null {
  const neighbours = scene.graph.edges
    .filter(edge => edge.source === urn || edge.target === urn)
    .map(edge => (edge.source === urn ? edge.target : edge.source));
  const added = neighbours.filter(other => !before.nodes.has(other));
  const placed = [urn, ...added].flatMap(other => scene.nodes.get(other) ?? []);
  const places = placed.map(({ at }) => at);
  if (added.length === 0) {
    return null;
  }
  const x = Math.min(...places.map(at => at.x));
  const y = Math.min(...places.map(at => at.y));
  const width = Math.max(...places.map(at => at.x)) + NODE_WIDTH - x;
  return { x, y, width, height: Math.max(...placed.map(({ at, height }) => at.y + height)) - y };
}
