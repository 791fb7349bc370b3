import type { IColumnPath } from './columns';
import type { ICurve } from './curves';
import { getMiddle } from './curves';
import { getEdgeId } from './graph';
import { NODE_HEIGHT, NODE_WIDTH } from './layout';
import type { IPalette } from './palette';
import type { IBounds, IPlacedColumnEdge, IPlacedEdge, IPlacedNode, IScene } from './scene';
import { shortenName } from './shorten-name';
import type { ISize, IViewport } from './viewport';
import { MIN_CARD_SCALE } from './viewport';

/** How an edge differs between two times. */
export type Mark = 'added' | 'removed' | 'changed';

/** What is emphasised in a drawing. */
interface IEmphasis {
  /** The id of the selected edge. */
  edge: string | null;
  /** The URN of the node whose edges are highlighted. */
  node: string | null;
  /** The path of a column; other edges between columns fade. */
  columns: IColumnPath | null;
  /** The URNs of nodes and ids of edges that are not faded; null for all. */
  path: ReadonlySet<string> | null;
  /** The URNs of nodes and ids of edges that others added just now. */
  news: ReadonlySet<string>;
}

/** The contents of the canvas. */
export interface IPicture extends IEmphasis {
  scene: IScene;
  view: IViewport;
  /** Nodes that are painted because they have no card; null for none. */
  isPainted: (urn: string) => boolean;
  /** The colours of nodes, by URN. */
  fills: ReadonlyMap<string, string>;
  marks: ReadonlyMap<string, Mark>;
  getName: (placed: IPlacedNode) => string;
}

const ARROW = 7;
/** Texts are painted with this size on the screen, whatever the zoom. */
export const MIN_TEXT_PX = 10.5;
const FADED = 0.15;
/** Below this scale curves are painted as lines, and without arrow heads. */
const MIN_CURVE_SCALE = 0.2;

/** How a set of edges is painted. */
interface IStroke {
  colour: string;
  width: number;
  dashes: number[];
  alpha: number;
}

/** Returns the dash pattern of an edge: dotted if it closes a cycle, dashed if its access mode is unknown. */
function getDashes({ edge, backward }: IPlacedEdge, mark: Mark | undefined): number[] {
  if (mark === 'removed') {
    return [10, 4, 2, 4];
  }
  if (backward) {
    return [2, 4];
  }
  return edge.access === 'unknown' ? [7, 5] : [];
}

/** Whether an edge is selected, new, or on the path; without a path, at the selected node. */
function isEmphasised({ edge }: IPlacedEdge, picture: IPicture): boolean {
  const id = getEdgeId(edge);
  if (id === picture.edge || picture.news.has(id)) {
    return true;
  }
  return picture.path?.has(id) ?? [edge.source, edge.target].includes(picture.node ?? '');
}

/** Chooses the stroke of an edge. */
function getStroke(placed: IPlacedEdge, palette: IPalette, picture: IPicture): IStroke {
  const mark = picture.marks.get(getEdgeId(placed.edge));
  const isStrong = isEmphasised(placed, picture);
  const isThick = isStrong || mark !== undefined;
  const isFaded = !isStrong && (picture.path !== null || picture.columns !== null);
  return {
    colour: mark === undefined ? palette[isStrong ? 'selected' : 'edge'] : palette[mark],
    width: isThick ? Math.max(2.4, 1.6 / picture.view.scale) : Math.max(1.3, 1 / picture.view.scale),
    dashes: getDashes(placed, mark),
    alpha: isFaded ? FADED : 1
  };
}

/** Groups edges with the same stroke, so that each group is painted at once. */
function groupByStroke<E>(edges: readonly E[], getStrokeOf: (edge: E) => IStroke): [IStroke, E[]][] {
  const groups = new Map<string, [IStroke, E[]]>();
  for (const edge of edges) {
    const stroke = getStrokeOf(edge);
    const key = `${stroke.width} ${stroke.alpha} ${stroke.colour} ${stroke.dashes.join()}`;
    const group = groups.get(key);
    if (group) {
      group[1].push(edge);
    } else {
      groups.set(key, [stroke, [edge]]);
    }
  }
  // Thin lines first, so that emphasised ones are above them.
  return [...groups.values()].sort((a, b) => a[0].alpha - b[0].alpha || a[0].width - b[0].width);
}

/** Returns the visible part of the drawing. */
function getVisibleBounds(view: IViewport, size: ISize): IBounds {
  const left = -view.x / view.scale;
  const top = -view.y / view.scale;
  return { left, top, right: left + size.width / view.scale, bottom: top + size.height / view.scale };
}

function isInside(bounds: IBounds, visible: IBounds): boolean {
  return (
    bounds.right >= visible.left &&
    bounds.left <= visible.right &&
    bounds.bottom >= visible.top &&
    bounds.top <= visible.bottom
  );
}

function tracePath(context: CanvasRenderingContext2D, curves: readonly ICurve[], isStraight: boolean): void {
  for (const { from, bend1, bend2, to } of curves) {
    context.moveTo(from.x, from.y);
    if (isStraight) {
      context.lineTo(to.x, to.y);
    } else {
      context.bezierCurveTo(bend1.x, bend1.y, bend2.x, bend2.y, to.x, to.y);
    }
  }
}

/** Traces an arrow head at the end of an edge, or at its start for -1. */
function traceArrowHead(context: CanvasRenderingContext2D, curves: readonly ICurve[], direction: 1 | -1): void {
  const tip = direction === 1 ? curves[curves.length - 1]?.to : curves[0]?.from;
  if (tip) {
    context.moveTo(tip.x, tip.y);
    context.lineTo(tip.x - direction * ARROW, tip.y - ARROW * 0.6);
    context.lineTo(tip.x - direction * ARROW, tip.y + ARROW * 0.6);
    context.closePath();
  }
}

function setStroke(context: CanvasRenderingContext2D, stroke: IStroke): void {
  context.strokeStyle = stroke.colour;
  context.fillStyle = stroke.colour;
  context.lineWidth = stroke.width;
  context.globalAlpha = stroke.alpha;
  context.setLineDash(stroke.dashes);
}

type Corner = readonly [right: number, down: number];

/** The lines of the marks, in a square from -1 to 1. */
export const MARK_LINES: Record<Mark, readonly (readonly [Corner, ...Corner[]])[]> = {
  added: [
    [
      [-1, 0],
      [1, 0]
    ],
    [
      [0, -1],
      [0, 1]
    ]
  ],
  removed: [
    [
      [-1, -1],
      [1, 1]
    ],
    [
      [-1, 1],
      [1, -1]
    ]
  ],
  changed: [
    [
      [0, -1],
      [1, 0.8],
      [-1, 0.8],
      [0, -1],
      [1, 0.8]
    ]
  ]
};

/** Paints a plus, a cross or a triangle in the middle of an edge that differs: colour alone is not sufficient. */
function paintMark(context: CanvasRenderingContext2D, placed: IPlacedEdge, mark: Mark, scale: number): void {
  const { x, y } = getMiddle(placed.curves);
  // It keeps its size on the screen if the view is far away.
  const size = Math.max(6, 5 / scale);
  context.setLineDash([]);
  context.lineWidth = Math.max(2.4, 2 / scale);
  context.beginPath();
  for (const [start, ...others] of MARK_LINES[mark]) {
    context.moveTo(x + start[0] * size, y + start[1] * size);
    others.forEach(([right, down]) => context.lineTo(x + right * size, y + down * size));
  }
  context.stroke();
}

function paintEdges(context: CanvasRenderingContext2D, palette: IPalette, picture: IPicture, visible: IBounds): void {
  const isFar = picture.view.scale < MIN_CURVE_SCALE;
  const edges = picture.scene.edges.filter(({ bounds }) => isInside(bounds, visible));
  for (const [stroke, group] of groupByStroke(edges, placed => getStroke(placed, palette, picture))) {
    setStroke(context, stroke);
    context.beginPath();
    group.forEach(({ curves }) => tracePath(context, curves, isFar));
    context.stroke();
    if (!isFar) {
      context.beginPath();
      group.forEach(({ curves, edge }) => {
        traceArrowHead(context, curves, 1);
        if (edge.access === 'both') {
          traceArrowHead(context, curves, -1);
        }
      });
      context.fill();
    }
    for (const placed of group) {
      const mark = picture.marks.get(getEdgeId(placed.edge));
      if (mark !== undefined) {
        paintMark(context, placed, mark, picture.view.scale);
      }
    }
  }
}

function paintColumnEdges(
  context: CanvasRenderingContext2D,
  palette: IPalette,
  picture: IPicture,
  visible: IBounds
): void {
  const edges = picture.scene.columnEdges.filter(({ bounds }) => isInside(bounds, visible));
  const getColumnStroke = ({ edge, isControl }: IPlacedColumnEdge): IStroke => {
    const isOnPath = picture.columns?.edges.has(edge) === true;
    return {
      colour: isOnPath ? palette.selected : palette.edge,
      width: isOnPath ? 2 : 1,
      dashes: isControl ? [4, 4] : [],
      alpha: isOnPath ? 1 : picture.columns || picture.path ? FADED : 0.55
    };
  };
  for (const [stroke, group] of groupByStroke(edges, getColumnStroke)) {
    setStroke(context, stroke);
    context.beginPath();
    group.forEach(({ curves }) => tracePath(context, curves, false));
    context.stroke();
  }
}

/** Shortens a name to the room on the screen, with an estimate of its width: measuring thousands takes too long. */
function fitName(name: string, room: number): string {
  const letters = Math.floor(room / (MIN_TEXT_PX * 0.58));
  return name.length <= letters ? name : letters < 3 ? '' : shortenName(name, letters - 1);
}

/** Paints a node; with its name if the view is near enough. */
function paintNode(context: CanvasRenderingContext2D, palette: IPalette, picture: IPicture, placed: IPlacedNode): void {
  const { at, height, node } = placed;
  const { scale } = picture.view;
  const colour = picture.fills.get(node.urn) ?? palette.node;
  const hasText = scale >= MIN_CARD_SCALE;
  context.globalAlpha = picture.path === null || picture.path.has(node.urn) ? 1 : FADED;
  context.fillStyle = hasText ? palette.surface : colour;
  context.fillRect(at.x, at.y, NODE_WIDTH, height);
  const isEmphasised = node.urn === picture.node || picture.news.has(node.urn);
  if (hasText || isEmphasised) {
    context.strokeStyle = isEmphasised ? palette.selected : colour;
    context.lineWidth = isEmphasised ? 3 / scale : 1;
    context.strokeRect(at.x, at.y, NODE_WIDTH, height);
  }
  if (hasText) {
    context.fillStyle = palette.text;
    const text = fitName(picture.getName(placed), (NODE_WIDTH - 20) * scale);
    context.fillText(text, at.x + 10, at.y + NODE_HEIGHT / 2);
  }
}

function paintNodes(context: CanvasRenderingContext2D, palette: IPalette, picture: IPicture, visible: IBounds): void {
  context.setLineDash([]);
  context.font = `${MIN_TEXT_PX / picture.view.scale}px ${palette.font}`;
  context.textBaseline = 'middle';
  for (const [urn, placed] of picture.scene.nodes) {
    const { at, height } = placed;
    const bounds = { left: at.x, top: at.y, right: at.x + NODE_WIDTH, bottom: at.y + height };
    if (isInside(bounds, visible) && picture.isPainted(urn)) {
      paintNode(context, palette, picture, placed);
    }
  }
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
  const visible = getVisibleBounds(view, size);
  context.setTransform(view.scale * ratio, 0, 0, view.scale * ratio, view.x * ratio, view.y * ratio);
  paintEdges(context, palette, picture, visible);
  paintColumnEdges(context, palette, picture, visible);
  paintNodes(context, palette, picture, visible);
  context.globalAlpha = 1;
}
