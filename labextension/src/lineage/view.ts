import type { IDisposable } from '@lumino/disposable';
import { Camera } from './camera';
import type { IAppearance } from './card-layer';
import { CardLayer, PLAIN_APPEARANCE } from './card-layer';
import type { ILabels } from './cards';
import type { IColumn, IColumnPath } from './columns';
import { traceColumn } from './columns';
import { Drag } from './drag';
import type { IEdge, Side } from './graph';
import { EMPTY_GRAPH, SIDES } from './graph';
import { Keyboard } from './keyboard';
import type { IPoint } from './layout';
import { NODE_WIDTH } from './layout';
import { Minimap } from './minimap';
import type { Mark } from './painter';
import type { IPalette } from './palette';
import { readPalette, resolveFills } from './palette';
import { Picture } from './picture';
import type { IPlacedNode, IScene } from './scene';
import { EMPTY_SCENE, findEdgeAt, findNodeAt } from './scene';
import type { ISize } from './viewport';
import { MIN_CARD_SCALE, toDrawingPoint } from './viewport';

/** The actions of the user in the drawing. */
export interface IViewActions {
  selectNode(urn: string): void;
  selectEdge(edge: IEdge): void;
  /** Locks the path of a column; null unlocks it. */
  selectColumn(column: IColumn | null): void;
  clearSelection(): void;
  open(urn: string): void;
  expand(urn: string, side: Side): void;
  collapse(urn: string, side: Side): void;
  /** Draws the nodes of a group, or the next ones of a cluster. */
  openGroup(urn: string): void;
  toggleColumns(urn: string): void;
  showMoreColumns(urn: string): void;
}

/** What is highlighted. */
export interface IHighlight {
  /** A node by its URN. */
  node: string | null;
  /** An edge by its id. */
  edge: string | null;
  /** The column whose path is locked. */
  column: IColumn | null;
  /** The nodes and edges of a path between two nodes, by URNs and ids. */
  path: ReadonlySet<string> | null;
  /** The edges that differ between two times, by id. */
  marks: ReadonlyMap<string, Mark>;
  /** The nodes and edges that others added just now, by URNs and ids. */
  news: ReadonlySet<string>;
}

export const NO_HIGHLIGHT: IHighlight = {
  node: null,
  edge: null,
  column: null,
  path: null,
  marks: new Map(),
  news: new Set()
};

/** Options of a view. */
export interface IViewOptions {
  /** The minimum scale to open with the whole graph in view. */
  minScale: number;
  /** Whether the wheel alone zooms; otherwise, it does with Ctrl, and the page scrolls without. */
  zoomsOnWheel: boolean;
  hasMinimap: boolean;
}

const DEFAULT_OPTIONS: IViewOptions = { minScale: 0.6, zoomsOnWheel: true, hasMinimap: true };

/** Below this scale cards are unreadable: nodes are painted instead. */
const CARD_SCALE = MIN_CARD_SCALE;
const MAX_CARDS = 300;
const EDGE_TOLERANCE_PX = 8;
const EVENTS = [
  'pointerdown',
  'pointermove',
  'pointerup',
  'pointercancel',
  'pointerover',
  'pointerleave',
  'click',
  'keydown',
  'focusin',
  'focusout',
  'dblclick',
  'scroll'
];

/** The drawing of a scene: edges on a canvas, nodes as HTML elements. Independent of React. */
export class LineageView implements IDisposable {
  constructor(
    readonly host: HTMLElement,
    private _labels: ILabels,
    private _actions: IViewActions,
    private _options: IViewOptions = DEFAULT_OPTIONS
  ) {
    host.classList.add('jp-Colophon-graph');
    host.setAttribute('role', 'group');
    host.setAttribute('aria-label', _labels.graph);
    this._camera = new Camera(
      () => this._getSize(),
      _options.minScale,
      isMoving => this._onMove(isMoving)
    );
    this._keyboard = new Keyboard(this, _labels, _actions);
    this._drag = new Drag(host, (dx, dy) => this._camera.pan(dx, dy));
    this._cards = new CardLayer(_labels);
    this._minimap = new Minimap((x, y) => this._camera.centre({ x, y }));
    this._minimap.isHidden = !_options.hasMinimap;
    host.append(this._picture.canvas, this._cards.element, this._minimap.element);
    this._palette = readPalette(host);
    host.addEventListener('wheel', this, { passive: false });
    EVENTS.forEach(name => host.addEventListener(name, this));
    this._observer = new ResizeObserver(() => this._onResize());
    this._observer.observe(host);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** The shown scene. */
  get scene(): IScene {
    return this._scene;
  }

  /** The colours of the nodes by URN, as CSS values without variables. */
  get fills(): ReadonlyMap<string, string> {
    return this._fills;
  }

  dispose(): void {
    this._isDisposed = true;
    cancelAnimationFrame(this._frame);
    this._observer.disconnect();
    this._camera.dispose();
    this.host.removeEventListener('wheel', this);
    EVENTS.forEach(name => this.host.removeEventListener(name, this));
    this.host.replaceChildren();
  }

  handleEvent(event: Event): void {
    if (event instanceof WheelEvent) {
      this._onWheel(event);
    } else if (event instanceof KeyboardEvent) {
      this._onKeyDown(event);
    } else if (event.type === 'scroll') {
      this._onScroll();
    } else if (event.type === 'focusin' || event.type === 'focusout') {
      this._onFocus(event.target, event.type === 'focusin');
    } else if (event.type === 'pointerover' || event.type === 'pointerleave') {
      this._hoverColumn(event.type === 'pointerover' ? this._getColumn(event.target) : null);
    } else if (event.type === 'click') {
      this._onClick(event as MouseEvent);
    } else if (event.type === 'dblclick') {
      this._onDoubleClick(event.target);
    } else if (event.type.startsWith('pointer')) {
      this._drag.onPointer(event as PointerEvent, this._getUrn(event.target) !== undefined);
    }
  }

  /**
   * Shows another scene. It is fitted to the view unless the user has moved the drawing.
   * New neighbours of an expanded node are brought into view in any case.
   */
  show(scene: IScene, expanded: string | null = null, appearance: IAppearance = PLAIN_APPEARANCE): void {
    this._camera.follow(this._scene, scene, this._current, expanded);
    this._scene = scene;
    this._appearance = appearance;
    const focused = this._cards.show(scene, appearance);
    this._hovered = null;
    this._resolveColours();
    this.host.dataset['nodes'] = String(scene.nodes.size);
    this.host.dataset['edges'] = String(scene.edges.length);
    if (!scene.nodes.has(this._current)) {
      this._current = scene.graph.focus;
    }
    this._draw();
    if (focused) {
      this._cards.focus(this._current, focused.urn === this._current ? focused.field : undefined);
    }
  }

  /** Highlights a node, an edge, a column or a path. */
  highlight(highlight: IHighlight): void {
    this._pendingReveal = highlight.node === this._highlight.node ? this._pendingReveal : highlight.node;
    this._highlight = highlight;
    this._picture.invalidate();
    this._draw();
  }

  /** Fits the whole graph into the view. */
  fit(): void {
    this._camera.fit();
    this._draw();
  }

  /** Zooms around the centre: in for 1, out for -1. */
  zoom(steps: number): void {
    this._camera.zoom(steps);
    this._draw();
  }

  /** Draws again with the colours of the current theme. */
  refreshColours(): void {
    this._palette = readPalette(this.host);
    this._resolveColours();
    this._draw();
  }

  /** Focuses a node, or a column of it, and brings it into view. */
  focusNode(urn: string, field?: string): void {
    if (this._scene.nodes.has(urn)) {
      this._current = urn;
      this._camera.reveal(this._scene, urn);
      this._draw();
      this._cards.focus(urn, field);
    }
  }

  /** Centres the view on a node at a readable size, and focuses it. */
  centreNode(urn: string, field?: string): void {
    const placed = this._scene.nodes.get(urn);
    if (placed) {
      this._camera.enlarge();
      this._camera.centre({ x: placed.at.x + NODE_WIDTH / 2, y: placed.at.y + placed.height / 2 });
      this.focusNode(urn, field);
    }
  }

  /** Selects a node; a group is opened instead. */
  activate(urn: string): void {
    if (this._scene.nodes.get(urn)?.node.members) {
      this._actions.openGroup(urn);
    } else {
      this._actions.selectNode(urn);
    }
  }

  private _getSize(): ISize {
    return { width: this.host.clientWidth, height: this.host.clientHeight };
  }

  private _resolveColours(): void {
    this._fills = resolveFills(this._scene, this._appearance, this._palette, this.host);
    this._picture.invalidate();
    this._minimap.show(this._scene, this._palette, this._fills);
  }

  private _onResize(): void {
    this._camera.resize(this._scene, this._pendingReveal);
    this._pendingReveal = null;
    this._schedule();
  }

  /** Draws the moved view; when it rests, the cards of the visible nodes are added. */
  private _onMove(isMoving: boolean): void {
    this.host.classList.toggle('jp-mod-moving', isMoving);
    if (!isMoving) {
      this._picture.invalidate();
    }
    this._schedule();
  }

  private _schedule(): void {
    this._frame ||= requestAnimationFrame(() => {
      this._frame = 0;
      this._draw();
    });
  }

  private _draw(): void {
    const size = this._getSize();
    if (this._isDisposed || size.width === 0 || size.height === 0) {
      return;
    }
    const { node, edge, column, path, marks, news } = this._highlight;
    this._camera.update(this._scene, node);
    const { view } = this._camera;
    const near = this._selectCards(size);
    this._cards.move(view);
    this._minimap.draw(this._scene, view, size);
    const columns = this._getColumnPath();
    this._cards.draw(near, { selected: node, path, column, columns, news }, this._current);
    // Cards of a large graph cover painted nodes, which are seen first where the view moves to.
    const isPainted = (urn: string): boolean => this._isLarge || !near.has(urn);
    this._picture.draw(
      size,
      this._palette,
      {
        scene: this._scene,
        view,
        node,
        edge,
        path,
        marks,
        news,
        columns,
        isPainted,
        fills: this._fills,
        getName: placed => this._labels.getName(placed.node)
      },
      this._isLarge,
      this._camera.isMoving
    );
  }

  /** Whether the picture is kept while the view moves. */
  private get _isLarge(): boolean {
    return this._scene.nodes.size > MAX_CARDS;
  }

  /** Returns the path of the column under the pointer, else of the focused or locked column. */
  private _getColumnPath(): IColumnPath | null {
    const column = this._hovered ?? this._highlight.column;
    if (column !== this._traced.column || this._scene !== this._traced.scene) {
      const edges = this._scene.columnEdges.map(placed => placed.edge);
      this._traced = { scene: this._scene, column, path: column && traceColumn(edges, column) };
    }
    return this._traced.path;
  }

  private _hoverColumn(column: IColumn | null): void {
    if (column?.urn !== this._hovered?.urn || column?.field !== this._hovered?.field) {
      this._hovered = column;
      this._picture.invalidate();
      this._schedule();
    }
  }

  /**
   * Returns the nodes that get a card: all that are readable, so that a screen reader finds them.
   * Of very large graphs, only those in view.
   */
  private _selectCards(size: ISize): Set<string> {
    const { scale } = this._camera.view;
    if (scale >= CARD_SCALE && !this._isLarge) {
      return new Set(this._scene.nodes.keys());
    }
    // While a large graph moves, its nodes are painted; cards follow when it rests.
    if (this._isLarge && this._camera.isMoving) {
      return this._near;
    }
    const inView =
      scale < CARD_SCALE ? [] : [...this._scene.nodes.values()].filter(placed => this._isInView(placed, size));
    const near = new Set(inView.slice(0, MAX_CARDS).map(({ node }) => node.urn));
    // The focused card must not be removed.
    if (this._cards.hasFocus(this._current)) {
      near.add(this._current);
    }
    this._near = near;
    return near;
  }

  private _isInView({ at, height }: IPlacedNode, size: ISize): boolean {
    const { x, y, scale } = this._camera.view;
    const left = at.x * scale + x;
    const top = at.y * scale + y;
    return left + NODE_WIDTH * scale > 0 && left < size.width && top + height * scale > 0 && top < size.height;
  }

  private _getUrn(target: EventTarget | null): string | undefined {
    return target instanceof Element ? target.closest<HTMLElement>('.jp-Colophon-node')?.dataset['urn'] : undefined;
  }

  private _getPoint(event: MouseEvent): IPoint {
    const box = this.host.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /** Zooms; sideways, or with Shift, it scrolls. */
  private _onWheel(event: WheelEvent): void {
    if (!this._options.zoomsOnWheel && !event.ctrlKey && !event.metaKey) {
      return;
    }
    event.preventDefault();
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (isSideways || event.shiftKey) {
      this._camera.pan(-(isSideways ? event.deltaX : event.deltaY), 0);
    } else {
      this._camera.zoomAt(Math.exp(-event.deltaY * 0.0015), this._getPoint(event));
    }
  }

  /** Moves the view when the browser scrolls, for instance to a card found by a search in the page. */
  private _onScroll(): void {
    const { scrollLeft, scrollTop } = this.host;
    if (scrollLeft !== 0 || scrollTop !== 0) {
      this.host.scrollTo(0, 0);
      this._camera.pan(-scrollLeft, -scrollTop);
      this._draw();
    }
  }

  private _onClick(event: MouseEvent): void {
    const urn = this._getUrn(event.target);
    if (urn !== undefined) {
      this._onCardClick(urn, event.target);
      return;
    }
    if (this._drag.hasMoved) {
      return;
    }
    const { view } = this._camera;
    const place = toDrawingPoint(view, this._getPoint(event));
    const node = findNodeAt(this._scene, place);
    const edge = node ? null : findEdgeAt(this._scene, place, EDGE_TOLERANCE_PX / view.scale);
    if (node) {
      this.activate(node.urn);
    } else if (edge) {
      this._actions.selectEdge(edge);
    } else {
      this._actions.clearSelection();
    }
  }

  private _onCardClick(urn: string, target: EventTarget | null): void {
    const { side, collapse, toggle, more } = target instanceof HTMLElement ? target.dataset : {};
    const column = this._getColumn(target);
    if (isSide(side)) {
      this._actions.expand(urn, side);
    } else if (isSide(collapse)) {
      this._actions.collapse(urn, collapse);
    } else if (toggle !== undefined) {
      this._actions.toggleColumns(urn);
    } else if (more !== undefined) {
      this._actions.showMoreColumns(urn);
    } else if (column) {
      this._lockColumn(column);
    } else {
      this.activate(urn);
    }
  }

  /** Locks the path of a column; unlocks it if it is locked. */
  private _lockColumn(column: IColumn): void {
    const locked = this._highlight.column;
    this._actions.selectColumn(locked?.urn === column.urn && locked.field === column.field ? null : column);
  }

  private _getColumn(target: EventTarget | null): IColumn | null {
    const field = target instanceof HTMLElement ? target.dataset['field'] : undefined;
    const urn = this._getUrn(target);
    return urn === undefined || field === undefined ? null : { urn, field };
  }

  private _onDoubleClick(target: EventTarget | null): void {
    const urn = this._getUrn(target);
    const onCard = target instanceof Element && target.closest('.jp-Colophon-card') !== null;
    if (urn !== undefined && onCard && !this._scene.nodes.get(urn)?.node.members) {
      this._actions.open(urn);
    }
  }

  private _onFocus(target: EventTarget | null, isIn: boolean): void {
    const urn = this._getUrn(target);
    if (urn !== undefined && isIn) {
      this._current = urn;
    }
    this._hoverColumn(isIn ? this._getColumn(target) : null);
  }

  private _onKeyDown(event: KeyboardEvent): void {
    const urn = this._getUrn(event.target);
    if (urn === undefined || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const column = this._getColumn(event.target);
    const isOnButton = !(event.target instanceof Element && event.target.classList.contains('jp-Colophon-card'));
    const isHandled = column
      ? this._keyboard.onColumnKey(column, event.key)
      : this._keyboard.onCardKey(urn, event, isOnButton);
    if (isHandled) {
      event.preventDefault();
    }
  }

  private _picture = new Picture();
  private _camera: Camera;
  private _keyboard: Keyboard;
  private _drag: Drag;
  private _cards: CardLayer;
  private _minimap: Minimap;
  private _observer: ResizeObserver;
  private _palette: IPalette;
  private _fills: ReadonlyMap<string, string> = new Map();
  private _appearance: IAppearance = PLAIN_APPEARANCE;
  private _hovered: IColumn | null = null;
  private _near = new Set<string>();
  private _scene: IScene = { ...EMPTY_SCENE, graph: EMPTY_GRAPH };
  private _highlight: IHighlight = NO_HIGHLIGHT;
  /** The last path of a column, which is not traced again while the view moves. */
  private _traced: { scene: IScene; column: IColumn | null; path: IColumnPath | null } = {
    scene: this._scene,
    column: null,
    path: null
  };
  private _current = '';
  private _frame = 0;
  private _pendingReveal: string | null = null;
  private _isDisposed = false;
}

function isSide(text: string | undefined): text is Side {
  return SIDES.some(side => side === text);
}
