import type { ICurve } from './curves';
import { createCurves, measureDistance } from './curves';
import type { IEdge, IGraph, INode } from './graph';
import type { IDigraph } from './layering';
import type { ILayout, IPoint } from './layout';
import { NODE_HEIGHT, NODE_WIDTH } from './layout';
import type { ISize } from './viewport';

/** A node with its position. */
export interface IPlacedNode {
  node: INode;
  at: IPoint;
}

/** An edge with its curves. */
export interface IPlacedEdge {
  edge: IEdge;
  curves: ICurve[];
  backward: boolean;
}

/** A graph with its layout. */
export interface IScene {
  graph: IGraph;
  nodes: Map<string, IPlacedNode>;
  edges: IPlacedEdge[];
  width: number;
  height: number;
}

export const EMPTY_SCENE: Omit<IScene, 'graph'> = { nodes: new Map(), edges: [], width: 0, height: 0 };

/** Converts a graph for the layout, with numbers as nodes. */
export function toDigraph(graph: IGraph): IDigraph {
  const at = new Map(graph.nodes.map((node, index) => [node.urn, index]));
  return {
    count: graph.nodes.length,
    edges: graph.edges.map(edge => [at.get(edge.source) ?? 0, at.get(edge.target) ?? 0] as const)
  };
}

/** Combines a graph with its layout. */
export function createScene(graph: IGraph, layout: ILayout): IScene {
  return {
    graph,
    nodes: new Map(graph.nodes.map((node, index) => [node.urn, { node, at: layout.nodes[index]! }])),
    edges: graph.edges.map((edge, index) => ({
      edge,
      curves: createCurves(layout.routes[index]!, layout.backward[index]!),
      backward: layout.backward[index]!
    })),
    width: layout.width,
    height: layout.height
  };
}

/** Returns the node at a point of the drawing; null if there is none. */
export function findNodeAt(scene: IScene, point: IPoint): INode | null {
  for (const { node, at } of scene.nodes.values()) {
    const across = point.x >= at.x && point.x <= at.x + NODE_WIDTH;
    if (across && point.y >= at.y && point.y <= at.y + NODE_HEIGHT) {
      return node;
    }
  }
  return null;
}

/** Returns the nearest edge within a distance of a point; null if there is none. */
export function findEdgeAt(scene: IScene, point: IPoint, tolerance: number): IEdge | null {
  let best: IEdge | null = null;
  let nearest = tolerance;
  for (const { edge, curves } of scene.edges) {
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

/** Returns the box around a node and its new neighbours; null if there are none. */
export function getNewNodesBox(before: IScene, scene: IScene, urn: string): (IPoint & ISize) | null {
  const neighbours = scene.graph.edges
    .filter(edge => edge.source === urn || edge.target === urn)
    .map(edge => (edge.source === urn ? edge.target : edge.source));
  const added = neighbours.filter(other => !before.nodes.has(other));
  const places = [urn, ...added].flatMap(other => scene.nodes.get(other)?.at ?? []);
  if (added.length === 0) {
    return null;
  }
  const x = Math.min(...places.map(at => at.x));
  const y = Math.min(...places.map(at => at.y));
  const width = Math.max(...places.map(at => at.x)) + NODE_WIDTH - x;
  return { x, y, width, height: Math.max(...places.map(at => at.y)) + NODE_HEIGHT - y };
}
