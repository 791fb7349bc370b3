import type { IDisposable } from '@lumino/disposable';
import type { IAppearance } from './card-layer';
import { CardLayer, PLAIN_APPEARANCE } from './card-layer';
import type { ILabels } from './cards';
import type { IColumn, IColumnPath } from './columns';
import { traceColumn } from './columns';
import type { IEdge, Side } from './graph';
import { EMPTY_GRAPH } from './graph';
import type { IPoint } from './layout';
import { NODE_HEIGHT, NODE_WIDTH } from './layout';
import { Minimap } from './minimap';
import type { IPalette, Mark } from './painter';
import { readPalette } from './painter';
import { Picture } from './picture';
import type { IPlacedNode, IScene } from './scene';
import {
  getNewNodesBox,
  findEdgeAt,
  EMPTY_SCENE,
  findNextColumn,
  findNodeAt,
  findNextNode,
  findNodeByPrefix
} from './scene';
import { TypeAhead } from './type-ahead';
import type { ISize, IViewport } from './viewport';
import { fitView, fitBox, openView, toDrawingPoint, MIN_CARD_SCALE, revealBox, zoomView } from './viewport';

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
}

export const NO_HIGHLIGHT: IHighlight = { node: null, edge: null, column: null, path: null, marks: new Map() };

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
const MAX_CLICK_MOVEMENT = 4;
const EDGE_TOLERANCE_PX = 8;
const ZOOM_STEP = 1.25;
/** After this pause a movement of the view has ended. */
const REST_MS = 140;
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
    this._picture = new Picture();
    this._cards = new CardLayer(_labels);
    this._minimap = new Minimap((x, y) => this._centreOn({ x, y }));
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

  dispose(): void {
    this._isDisposed = true;
    cancelAnimationFrame(this._frame);
    this._observer.disconnect();
    window.clearTimeout(this._restTimer);
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
      this._onPointer(event as PointerEvent);
    }
  }

  /**
   * Shows another scene. It is fitted to the view unless the user has moved the drawing.
   * New neighbours of an expanded node are brought into view in any case.
   */
  show(scene: IScene, expanded: string | null = null, appearance: IAppearance = PLAIN_APPEARANCE): void {
    const other = scene.graph.focus !== this._scene.graph.focus || this._scene.nodes.size === 0;
    const anchor = this._getAnchorShift(scene);
    this._newNodesBox = expanded === null ? null : getNewNodesBox(this._scene, scene, expanded);
    this._scene = scene;
    this._appearance = appearance;
    const focused = this._cards.show(scene, appearance);
    this._hovered = null;
    this._picture.invalidate();
    this._minimap.show(scene, this._palette, appearance.colours);
    this.host.dataset['nodes'] = String(scene.nodes.size);
    this.host.dataset['edges'] = String(scene.edges.length);
    if (!scene.nodes.has(this._current)) {
      this._current = scene.graph.focus;
    }
    if (!other && anchor && this._isMoved) {
      this._view = { ...this._view, x: this._view.x + anchor.x, y: this._view.y + anchor.y };
      this._revealNewNodes(this._getSize());
    } else {
      this._fitMode = other ? 'open' : this._fitMode;
      this._pendingFit = this._fitMode;
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
    this._fitMode = 'fit';
    this._pendingFit = 'fit';
    this._draw();
  }

  /** Zooms around the centre: in for 1, out for -1. */
  zoom(steps: number): void {
    const { width, height } = this._getSize();
    this._view = zoomView(this._view, ZOOM_STEP ** steps, { x: width / 2, y: height / 2 });
    this._startMove();
    this._draw();
  }

  /** Draws again with the colours of the current theme. */
  refreshColours(): void {
    this._palette = readPalette(this.host);
    this._picture.invalidate();
    this._minimap.show(this._scene, this._palette, this._appearance.colours);
    this._draw();
  }

  /** Focuses a node, or a column of it, and brings it into view. */
  focusNode(urn: string, field?: string): void {
    if (this._scene.nodes.has(urn)) {
      this._current = urn;
      this._reveal(urn, this._getSize());
      this._draw();
      this._cards.focus(urn, field);
    }
  }

  /** Centres the view on a node at a readable size, and focuses it. */
  centreNode(urn: string, field?: string): void {
    const placed = this._scene.nodes.get(urn);
    if (placed) {
      this._view = { ...this._view, scale: Math.max(this._view.scale, 0.92) };
      this._centreOn({ x: placed.at.x + NODE_WIDTH / 2, y: placed.at.y + placed.height / 2 });
      this.focusNode(urn, field);
    }
  }

  /** Moves the view by pixels on the screen. */
  pan(dx: number, dy: number): void {
    this._view = { ...this._view, x: this._view.x + dx, y: this._view.y + dy };
    this._startMove();
  }

  /** The current scale. */
  get scale(): number {
    return this._view.scale;
  }

  private _centreOn({ x, y }: IPoint): void {
    const { width, height } = this._getSize();
    const { scale } = this._view;
    this._view = { scale, x: width / 2 - x * scale, y: height / 2 - y * scale };
    this._startMove();
  }

  /** Returns how far the current node moves in another scene, to keep it in place. */
  private _getAnchorShift(scene: IScene): IPoint | undefined {
    const urn = scene.nodes.has(this._current) ? this._current : scene.graph.focus;
    const before = this._scene.nodes.get(urn)?.at;
    const after = scene.nodes.get(urn)?.at;
    const { scale } = this._view;
    return before && after ? { x: (before.x - after.x) * scale, y: (before.y - after.y) * scale } : undefined;
  }

  private _getSize(): ISize {
    return { width: this.host.clientWidth, height: this.host.clientHeight };
  }

  private _onResize(): void {
    // Until the user moves the drawing, it keeps filling the view.
    this._pendingFit ??= this._isMoved ? null : this._fitMode;
    if (this._pendingFit === null) {
      // The details of the selected node must not cover it.
      this._reveal(this._pendingReveal, this._getSize());
    }
    this._pendingReveal = null;
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
    this._setView(size);
    const near = this._selectCards(size);
    this._cards.move(this._view);
    this._minimap.draw(this._scene, this._view, size);
    const { node, edge, column, path, marks } = this._highlight;
    const columns = this._getColumnPath();
    this._cards.draw(near, { selected: node, path, column, columns }, this._current);
    // Cards of a large graph cover painted nodes, which are seen first where the view moves to.
    const isPainted = (urn: string): boolean => this._isLarge || !near.has(urn);
    this._picture.draw(
      size,
      this._palette,
      {
        scene: this._scene,
        view: this._view,
        node,
        edge,
        path,
        marks,
        columns,
        isPainted,
        colours: this._appearance.colours,
        getName: placed => this._labels.getName(placed.node)
      },
      this._isLarge,
      this._restTimer !== 0
    );
  }

  /** Notes that the user moves the view. When it rests, the cards of the visible nodes are added. */
  private _startMove(): void {
    this._isMoved = true;
    window.clearTimeout(this._restTimer);
    this._restTimer = window.setTimeout(() => {
      this._restTimer = 0;
      this._picture.invalidate();
      this._schedule();
    }, REST_MS);
    this._schedule();
  }

  /** Whether the picture is kept while the view moves. */
  private get _isLarge(): boolean {
    return this._scene.nodes.size > MAX_CARDS;
  }

  /** Returns the path of the column under the pointer, else of the focused or locked column. */
  private _getColumnPath(): IColumnPath | null {
    const column = this._hovered ?? this._highlight.column;
    return column
      ? traceColumn(
          this._scene.columnEdges.map(placed => placed.edge),
          column
        )
      : null;
  }

  private _hoverColumn(column: IColumn | null): void {
    if (column?.urn !== this._hovered?.urn || column?.field !== this._hovered?.field) {
      this._hovered = column;
      this._picture.invalidate();
      this._schedule();
    }
  }

  private _setView(size: ISize): void {
    if (this._pendingFit === 'fit') {
      this._view = fitView(this._scene, size);
    } else if (this._pendingFit === 'open') {
      const at = this._scene.nodes.get(this._scene.graph.focus)?.at ?? { x: 0, y: 0 };
      const centre = { x: at.x + NODE_WIDTH / 2, y: at.y + NODE_HEIGHT / 2 };
      this._view = openView(this._scene, size, centre, this._options.minScale);
      this._reveal(this._highlight.node, size);
      this._revealNewNodes(size);
    }
    this._isMoved &&= this._pendingFit === null;
    this._pendingFit = null;
  }

  private _reveal(urn: string | null, size: ISize): void {
    const placed = urn === null ? undefined : this._scene.nodes.get(urn);
    if (placed) {
      this._view = revealBox(this._view, { ...placed.at, width: NODE_WIDTH, height: placed.height }, size);
    }
  }

  private _revealNewNodes(size: ISize): void {
    if (this._newNodesBox && size.width > 0 && size.height > 0) {
      this._view = fitBox(this._view, this._newNodesBox, size);
    }
  }

  /**
   * Returns the nodes that get a card: all that are readable, so that a screen reader finds them.
   * Of very large graphs, only those in view.
   */
  private _selectCards(size: ISize): Set<string> {
    const { scale } = this._view;
    if (scale >= CARD_SCALE && !this._isLarge) {
      return new Set(this._scene.nodes.keys());
    }
    // While a large graph moves, its nodes are painted; cards follow when it rests.
    if (this._isLarge && this._restTimer !== 0) {
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
    const { x, y, scale } = this._view;
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

  private _onWheel(event: WheelEvent): void {
    if (!this._options.zoomsOnWheel && !event.ctrlKey && !event.metaKey) {
      return;
    }
    event.preventDefault();
    this._view = zoomView(this._view, Math.exp(-event.deltaY * 0.0015), this._getPoint(event));
    this._startMove();
  }

  /** Moves the view when the browser scrolls, for instance to a card found by a search in the page. */
  private _onScroll(): void {
    const { scrollLeft, scrollTop } = this.host;
    if (scrollLeft !== 0 || scrollTop !== 0) {
      this.host.scrollTo(0, 0);
      this._isMoved = true;
      this._view = { ...this._view, x: this._view.x - scrollLeft, y: this._view.y - scrollTop };
      this._draw();
    }
  }

  private _onPointer(event: PointerEvent): void {
    if (event.type === 'pointerdown') {
      this._dragDistance = 0;
      this._isDragging = event.button === 0 && this._getUrn(event.target) === undefined;
    } else if (event.type === 'pointermove' && this._isDragging) {
      if (!this.host.hasPointerCapture(event.pointerId)) {
        this.host.setPointerCapture(event.pointerId);
      }
      this._dragDistance += Math.abs(event.movementX) + Math.abs(event.movementY);
      if (this._dragDistance > MAX_CLICK_MOVEMENT) {
        this.pan(event.movementX, event.movementY);
      }
    } else if (event.type === 'pointerup' || event.type === 'pointercancel') {
      this._isDragging = false;
    }
  }

  private _onClick(event: MouseEvent): void {
    const urn = this._getUrn(event.target);
    if (urn !== undefined) {
      this._onCardClick(urn, event.target);
      return;
    }
    if (this._dragDistance > MAX_CLICK_MOVEMENT) {
      return;
    }
    const place = toDrawingPoint(this._view, this._getPoint(event));
    const node = findNodeAt(this._scene, place);
    const edge = node ? null : findEdgeAt(this._scene, place, EDGE_TOLERANCE_PX / this._view.scale);
    if (node) {
      this._activate(node.urn);
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
      this._activate(urn);
    }
  }

  /** Selects a node; a group is opened instead. */
  private _activate(urn: string): void {
    if (this._scene.nodes.get(urn)?.node.members) {
      this._actions.openGroup(urn);
    } else {
      this._actions.selectNode(urn);
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
    const isHandled = column ? this._onColumnKey(column, event.key) : this._onCardKey(urn, event);
    if (isHandled) {
      event.preventDefault();
    }
  }

  /** Handles a key on a column. Arrows follow the edges between columns; up from the first one leads to the card. */
  private _onColumnKey(column: IColumn, key: string): boolean {
    const next = findNextColumn(this._scene, column, key);
    if (next) {
      this.focusNode(next.urn, next.field);
    } else if (key === 'ArrowUp') {
      this.focusNode(column.urn);
    } else if (key === 'Escape') {
      this._actions.selectColumn(null);
      this.focusNode(column.urn);
    }
    return next !== undefined || key === 'ArrowUp' || key === 'Escape';
  }

  private _onCardKey(urn: string, event: KeyboardEvent): boolean {
    const { key } = event;
    const onMain = event.target instanceof Element && event.target.classList.contains('jp-Colophon-card');
    const expanding: Record<string, Side> = { '[': 'upstream', ']': 'downstream' };
    const collapsing: Record<string, Side> = { '{': 'upstream', '}': 'downstream' };
    const first = this._scene.nodes.get(urn)?.columns?.fields[0];
    if (key === 'Enter' && onMain) {
      return this._openNode(urn);
    }
    if (expanding[key]) {
      this._actions.expand(urn, expanding[key]);
    } else if (collapsing[key]) {
      this._actions.collapse(urn, collapsing[key]);
    } else if (key === 'Insert') {
      this._actions.toggleColumns(urn);
    } else if (key === 'Escape') {
      this._actions.clearSelection();
    } else if (key === 'ArrowDown' && first !== undefined) {
      this.focusNode(urn, first);
    } else {
      return this._moveFocus(urn, key, event.timeStamp, onMain);
    }
    return true;
  }

  private _openNode(urn: string): boolean {
    if (this._scene.nodes.get(urn)?.node.members) {
      this._actions.openGroup(urn);
    } else {
      this._actions.open(urn);
    }
    return true;
  }

  /** Moves the focus by an arrow, Home or End, or to the next node whose name begins with the typed letters. */
  private _moveFocus(urn: string, key: string, time: number, onMain: boolean): boolean {
    const typed = onMain ? this._typeAhead.add(key, time) : null;
    const next =
      typed === null
        ? findNextNode(this._scene, urn, key)
        : findNodeByPrefix(this._scene, urn, typed, node => this._labels.getName(node));
    if (next !== undefined) {
      this.focusNode(next);
      if (!this._scene.nodes.get(next)?.node.members) {
        this._actions.selectNode(next);
      }
    }
    return next !== undefined;
  }

  private _picture: Picture;
  private _cards: CardLayer;
  private _minimap: Minimap;
  private _observer: ResizeObserver;
  private _palette: IPalette;
  private _typeAhead = new TypeAhead();
  private _appearance: IAppearance = PLAIN_APPEARANCE;
  private _hovered: IColumn | null = null;
  private _near = new Set<string>();
  private _restTimer = 0;
  private _scene: IScene = { ...EMPTY_SCENE, graph: EMPTY_GRAPH };
  private _view: IViewport = { x: 0, y: 0, scale: 1 };
  private _highlight: IHighlight = NO_HIGHLIGHT;
  private _current = '';
  private _frame = 0;
  private _fitMode: 'open' | 'fit' = 'open';
  private _pendingFit: 'open' | 'fit' | null = 'open';
  private _newNodesBox: (IPoint & ISize) | null = null;
  private _pendingReveal: string | null = null;
  private _isMoved = false;
  private _isDragging = false;
  private _dragDistance = 0;
  private _isDisposed = false;
}

function isSide(text: string | undefined): text is Side {
  return text === 'upstream' || text === 'downstream';
}
