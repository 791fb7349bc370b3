import type { ICurve } from './curves';
import { edgeId } from './graph';
import { NODE_HEIGHT, NODE_WIDTH } from './layout';
import type { IPlacedEdge, IScene } from './scene';
import type { ISize, IViewport } from './viewport';

/** Colours of the present theme. */
export interface IPalette {
  edge: string;
  picked: string;
  node: string;
}

/** What to paint. */
export interface IPicture {
  scene: IScene;
  view: IViewport;
  /** Id of the edge that is picked. */
  edge: string | null;
  /** URN of the node whose edges stand out. */
  node: string | null;
  /** Nodes that are painted, because no HTML stands for them. */
  far: ReadonlySet<string>;
}

const ARROW = 7;

/** The colours as the theme has them now. */
export function paletteOf(element: Element): IPalette {
  const style = getComputedStyle(element);
  const of = (name: string): string => style.getPropertyValue(name).trim() || style.color;
  return { edge: of('--jp-ui-font-color2'), picked: of('--jp-brand-color1'), node: of('--jp-ui-font-color3') };
}

/** Paints edges, and nodes that are far away, onto a canvas. */
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
  const quiet = picture.scene.edges.filter(placed => !standsOut(placed, picture));
  const loud = picture.scene.edges.filter(placed => standsOut(placed, picture));
  stroke(context, quiet, palette.edge, Math.max(1.3, 1 / view.scale));
  stroke(context, loud, palette.picked, Math.max(2.4, 1.6 / view.scale));
  context.fillStyle = palette.node;
  for (const urn of picture.far) {
    const at = picture.scene.nodes.get(urn)?.at;
    if (at) {
      context.fillRect(at.x, at.y, NODE_WIDTH, NODE_HEIGHT);
    }
  }
}

function standsOut({ edge }: IPlacedEdge, picture: IPicture): boolean {
  return edgeId(edge) === picture.edge || edge.source === picture.node || edge.target === picture.node;
}

function trace(context: CanvasRenderingContext2D, curves: readonly ICurve[]): void {
  for (const { from, bend1, bend2, to } of curves) {
    context.moveTo(from.x, from.y);
    context.bezierCurveTo(bend1.x, bend1.y, bend2.x, bend2.y, to.x, to.y);
  }
}

/** A line is whole for what is known, dashed where the kind of access is not; a dotted one closes a cycle. */
function dashes({ edge, backward }: IPlacedEdge): number[] {
  if (backward) {
    return [2, 4];
  }
  return edge.access === 'unknown' ? [7, 5] : [];
}

function stroke(context: CanvasRenderingContext2D, edges: readonly IPlacedEdge[], colour: string, width: number): void {
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = width;
  for (const placed of edges) {
    context.setLineDash(dashes(placed));
    context.beginPath();
    trace(context, placed.curves);
    context.stroke();
    context.setLineDash([]);
    head(context, placed.curves, 1);
    if (placed.edge.access === 'both') {
      head(context, placed.curves, -1);
    }
  }
}

/** An arrow head at the end of a line, or at its beginning for -1. */
function head(context: CanvasRenderingContext2D, curves: readonly ICurve[], way: 1 | -1): void {
  const tip = way === 1 ? curves[curves.length - 1]?.to : curves[0]?.from;
  if (!tip) {
    return;
  }
  context.beginPath();
  context.moveTo(tip.x, tip.y);
  context.lineTo(tip.x - way * ARROW, tip.y - ARROW * 0.6);
  context.lineTo(tip.x - way * ARROW, tip.y + ARROW * 0.6);
  context.fill();
}
