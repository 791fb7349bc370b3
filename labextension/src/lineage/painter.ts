import type { ICurve } from './curves';
import { getEdgeId } from './graph';
import { NODE_HEIGHT, NODE_WIDTH } from './layout';
import type { IPlacedEdge, IScene } from './scene';
import type { ISize, IViewport } from './viewport';

/** The colours of the current theme. */
export interface IPalette {
  edge: string;
  selected: string;
  node: string;
}

/** The contents of the canvas. */
export interface IPicture {
  scene: IScene;
  view: IViewport;
  /** The id of the selected edge. */
  edge: string | null;
  /** The URN of the node whose edges are highlighted. */
  node: string | null;
  /** Nodes that are painted because they have no card. */
  distant: ReadonlySet<string>;
}

const ARROW = 7;

/** Reads the colours of the current theme. */
export function readPalette(element: Element): IPalette {
  const style = getComputedStyle(element);
  const readVariable = (name: string): string => style.getPropertyValue(name).trim() || style.color;
  return {
    edge: readVariable('--jp-ui-font-color2'),
    selected: readVariable('--jp-brand-color1'),
    node: readVariable('--jp-ui-font-color3')
  };
}

/** Paints edges, and nodes without a card, on a canvas. */
export function paint(canvas: HTMLCanvasElement, size: ISize, palette: IPalette, picture: IPicture): void {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(size.width * ratio);
  canvas.height = Math.round(size.height * ratio);
  const context = canvas.getContext('2d');
  if (!context) {
    return;
  }
  const { view } = picture;
  context.setTransform(view.scale * ratio, 0, 0, view.scale * ratio, view.x * ratio, view.y * ratio);
  const normal = picture.scene.edges.filter(placed => !isHighlighted(placed, picture));
  const highlighted = picture.scene.edges.filter(placed => isHighlighted(placed, picture));
  strokeEdges(context, normal, palette.edge, Math.max(1.3, 1 / view.scale));
  strokeEdges(context, highlighted, palette.selected, Math.max(2.4, 1.6 / view.scale));
  context.fillStyle = palette.node;
  for (const urn of picture.distant) {
    const at = picture.scene.nodes.get(urn)?.at;
    if (at) {
      context.fillRect(at.x, at.y, NODE_WIDTH, NODE_HEIGHT);
    }
  }
}

function isHighlighted({ edge }: IPlacedEdge, picture: IPicture): boolean {
  return getEdgeId(edge) === picture.edge || edge.source === picture.node || edge.target === picture.node;
}

function tracePath(context: CanvasRenderingContext2D, curves: readonly ICurve[]): void {
  for (const { from, bend1, bend2, to } of curves) {
    context.moveTo(from.x, from.y);
    context.bezierCurveTo(bend1.x, bend1.y, bend2.x, bend2.y, to.x, to.y);
  }
}

/** Returns the dash pattern of an edge: solid, dashed if the access mode is unknown, dotted if it closes a cycle. */
function getDashes({ edge, backward }: IPlacedEdge): number[] {
  if (backward) {
    return [2, 4];
  }
  return edge.access === 'unknown' ? [7, 5] : [];
}

function strokeEdges(
  context: CanvasRenderingContext2D,
  edges: readonly IPlacedEdge[],
  colour: string,
  width: number
): void {
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = width;
  for (const placed of edges) {
    context.setLineDash(getDashes(placed));
    context.beginPath();
    tracePath(context, placed.curves);
    context.stroke();
    context.setLineDash([]);
    drawArrowHead(context, placed.curves, 1);
    if (placed.edge.access === 'both') {
      drawArrowHead(context, placed.curves, -1);
    }
  }
}

/** Draws an arrow head at the end of an edge, or at its start for -1. */
function drawArrowHead(context: CanvasRenderingContext2D, curves: readonly ICurve[], direction: 1 | -1): void {
  const tip = direction === 1 ? curves[curves.length - 1]?.to : curves[0]?.from;
  if (!tip) {
    return;
  }
  context.beginPath();
  context.moveTo(tip.x, tip.y);
  context.lineTo(tip.x - direction * ARROW, tip.y - ARROW * 0.6);
  context.lineTo(tip.x - direction * ARROW, tip.y + ARROW * 0.6);
  context.fill();
}
