import type { ICurve } from './curves';
import { curvesOf, distance } from './curves';
import type { IEdge, IGraph, INode } from './graph';
import type { IDigraph } from './layering';
import type { ILayout, IPoint } from './layout';
import { NODE_HEIGHT, NODE_WIDTH } from './layout';
import type { ISize } from './viewport';

/** A node and its place. */
export interface IPlacedNode {
  node: INode;
  at: IPoint;
}

/** An edge and its line. */
export interface IPlacedEdge {
  edge: IEdge;
  curves: ICurve[];
  backward: boolean;
}

/** A graph that was laid out. */
export interface IScene {
  graph: IGraph;
  nodes: Map<string, IPlacedNode>;
  edges: IPlacedEdge[];
  width: number;
  height: number;
}

export const EMPTY_SCENE: Omit<IScene, 'graph'> = { nodes: new Map(), edges: [], width: 0, height: 0 };

/** The graph in numbers, for the layout. */
export function digraphOf(graph: IGraph): IDigraph {
  const at = new Map(graph.nodes.map((node, index) => [node.urn, index]));
  return {
    count: graph.nodes.length,
    edges: graph.edges.map(edge => [at.get(edge.source) ?? 0, at.get(edge.target) ?? 0] as const)
  };
}

/** Puts a graph and its layout together. */
export function sceneOf(graph: IGraph, layout: ILayout): IScene {
  return {
    graph,
    nodes: new Map(graph.nodes.map((node, index) => [node.urn, { node, at: layout.nodes[index]! }])),
    edges: graph.edges.map((edge, index) => ({
      edge,
      curves: curvesOf(layout.routes[index]!, layout.backward[index]!),
      backward: layout.backward[index]!
    })),
    width: layout.width,
    height: layout.height
  };
}

/** The node under a point of the drawing, if there is one. */
export function nodeAt(scene: IScene, point: IPoint): INode | null {
  for (const { node, at } of scene.nodes.values()) {
    const across = point.x >= at.x && point.x <= at.x + NODE_WIDTH;
    if (across && point.y >= at.y && point.y <= at.y + NODE_HEIGHT) {
      return node;
    }
  }
  return null;
}

/** The edge under a point of the drawing, if one is near enough. */
export function edgeAt(scene: IScene, point: IPoint, near: number): IEdge | null {
  let best: IEdge | null = null;
  let least = near;
  for (const { edge, curves } of scene.edges) {
    const far = Math.min(...curves.map(curve => distance(curve, point)));
    if (far <= least) {
      best = edge;
      least = far;
    }
  }
  return best;
}

function byHeight(scene: IScene, urns: readonly string[], from: string): string[] {
  const y = scene.nodes.get(from)?.at.y ?? 0;
  const off = (urn: string): number => Math.abs((scene.nodes.get(urn)?.at.y ?? 0) - y);
  return [...urns].sort((a, b) => off(a) - off(b));
}

/** Nodes of the same column, from top to bottom. */
function column(scene: IScene, urn: string): string[] {
  const x = scene.nodes.get(urn)?.at.x;
  return [...scene.nodes.values()]
    .filter(placed => placed.at.x === x)
    .sort((a, b) => a.at.y - b.at.y)
    .map(placed => placed.node.urn);
}

function ends(scene: IScene, side: 'source' | 'target'): string[] {
  const taken = new Set(scene.graph.edges.map(edge => edge[side]));
  const free = scene.graph.nodes.filter(node => !taken.has(node.urn)).map(node => node.urn);
  const y = (urn: string): number => scene.nodes.get(urn)?.at.y ?? 0;
  return free.sort((a, b) => y(a) - y(b));
}

/**
 * Where a key leads from a node: right and left follow edges, up and down stay in the column,
 * Home and End go to where data come from and to where they end up.
 */
export function stepFrom(scene: IScene, urn: string, key: string): string | undefined {
  const { edges } = scene.graph;
  const rows = column(scene, urn);
  switch (key) {
    case 'ArrowRight':
      return byHeight(
        scene,
        edges.filter(edge => edge.source === urn).map(edge => edge.target),
        urn
      )[0];
    case 'ArrowLeft':
      return byHeight(
        scene,
        edges.filter(edge => edge.target === urn).map(edge => edge.source),
        urn
      )[0];
    case 'ArrowDown':
      return rows[rows.indexOf(urn) + 1];
    case 'ArrowUp':
      return rows[rows.indexOf(urn) - 1];
    case 'Home':
      return ends(scene, 'target')[0];
    case 'End':
      return ends(scene, 'source')[0];
    default:
      return undefined;
  }
}

/** The box around a node and those of its neighbours that an earlier scene did not have; null if none is new. */
export function boxOfNew(before: IScene, scene: IScene, urn: string): (IPoint & ISize) | null {
  const around = scene.graph.edges
    .filter(edge => edge.source === urn || edge.target === urn)
    .map(edge => (edge.source === urn ? edge.target : edge.source));
  const added = around.filter(other => !before.nodes.has(other));
  const places = [urn, ...added].flatMap(other => scene.nodes.get(other)?.at ?? []);
  if (added.length === 0) {
    return null;
  }
  const x = Math.min(...places.map(at => at.x));
  const y = Math.min(...places.map(at => at.y));
  const width = Math.max(...places.map(at => at.x)) + NODE_WIDTH - x;
  return { x, y, width, height: Math.max(...places.map(at => at.y)) + NODE_HEIGHT - y };
}
