import type { IDisposable } from '@lumino/disposable';
import { CardLayer } from './card-layer';
import type { ILabels } from './cards';
import type { IEdge, Side } from './graph';
import { EMPTY_GRAPH } from './graph';
import type { IPoint } from './layout';
import { NODE_HEIGHT, NODE_WIDTH } from './layout';
import type { IPalette } from './painter';
import { paint, readPalette } from './painter';
import type { IScene } from './scene';
import { getNewNodesBox, findEdgeAt, EMPTY_SCENE, findNodeAt, findNextNode } from './scene';
import type { ISize, IViewport } from './viewport';
import { fitView, fitBox, openView, toDrawingPoint, MIN_CARD_SCALE, revealBox, zoomView } from './viewport';

/** The actions of the user in the drawing. */
export interface IViewActions {
  selectNode(urn: string): void;
  selectEdge(edge: IEdge): void;
  clearSelection(): void;
  open(urn: string): void;
  expand(urn: string, side: Side): void;
}

/** The highlighted node by its URN, or the highlighted edge by its id. */
export interface IHighlight {
  node: string | null;
  edge: string | null;
}

/** Options of a view. */
export interface IViewOptions {
  /** The minimum scale to open with the whole graph in view. */
  minScale: number;
  /** Whether the wheel alone zooms; otherwise, it does with Ctrl, and the page scrolls without. */
  zoomsOnWheel: boolean;
}

const DEFAULT_OPTIONS: IViewOptions = { minScale: MIN_CARD_SCALE, zoomsOnWheel: true };

/** Below this scale cards are unreadable: nodes are painted instead. */
const CARD_SCALE = MIN_CARD_SCALE;
const MAX_CARDS = 300;
const MAX_CLICK_MOVEMENT = 4;
const EDGE_TOLERANCE_PX = 8;
const ZOOM_STEP = 1.25;

/** The drawing of a scene: edges on a canvas, nodes as HTML elements. Independent of React. */
export class LineageView implements IDisposable {
  constructor(
    readonly host: HTMLElement,
    words: ILabels,
    private _actions: IViewActions,
    private _options: IViewOptions = DEFAULT_OPTIONS
  ) {
    host.classList.add('jp-Colophon-graph');
    host.setAttribute('role', 'group');
    host.setAttribute('aria-label', words.graph);
    this._canvas = document.createElement('canvas');
    this._canvas.setAttribute('aria-hidden', 'true');
    this._cards = new CardLayer(words);
    host.append(this._canvas, this._cards.element);
    this._palette = readPalette(host);
    host.addEventListener('wheel', this, { passive: false });
    [
      'pointerdown',
      'pointermove',
      'pointerup',
      'pointercancel',
      'click',
      'keydown',
      'focusin',
      'dblclick',
      'scroll'
    ].forEach(name => host.addEventListener(name, this));
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
    this.host.replaceChildren();
  }

  handleEvent(event: Event): void {
    if (event instanceof WheelEvent) {
      this._onWheel(event);
    } else if (event instanceof KeyboardEvent) {
      this._onKeyDown(event);
    } else if (event.type === 'scroll') {
      this._onScroll();
    } else if (event.type === 'focusin') {
      this._onFocus(event.target);
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
  show(scene: IScene, expanded: string | null = null): void {
    const other = scene.graph.focus !== this._scene.graph.focus || this._scene.nodes.size === 0;
    const anchor = this._getAnchorShift(scene);
    this._newNodesBox = expanded === null ? null : getNewNodesBox(this._scene, scene, expanded);
    this._scene = scene;
    const hadFocus = this._cards.show(scene);
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
    if (hadFocus) {
      this._cards.focus(this._current);
    }
  }

  /** Highlights a node or an edge. */
  highlight(highlight: IHighlight): void {
    this._pendingReveal = highlight.node === this._highlight.node ? this._pendingReveal : highlight.node;
    this._highlight = highlight;
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
    this._isMoved = true;
    this._view = zoomView(this._view, ZOOM_STEP ** steps, { x: width / 2, y: height / 2 });
    this._draw();
  }

  /** Draws again with the colours of the current theme. */
  refreshColours(): void {
    this._palette = readPalette(this.host);
    this._draw();
  }

  /** Focuses a node. */
  focusNode(urn: string): void {
    if (this._scene.nodes.has(urn)) {
      this._current = urn;
      this._reveal(urn, this._getSize());
      this._draw();
      this._cards.focus(urn);
    }
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
    this._cards.draw(near, this._view, this._highlight.node, this._current);
    const all = [...this._scene.nodes.keys()];
    const distant = new Set(all.filter(urn => !near.has(urn)));
    const { node, edge } = this._highlight;
    paint(this._canvas, size, this._palette, { scene: this._scene, view: this._view, node, edge, distant });
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
      this._view = revealBox(this._view, { ...placed.at, width: NODE_WIDTH, height: NODE_HEIGHT }, size);
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
    const { x, y, scale } = this._view;
    if (scale >= CARD_SCALE && this._scene.nodes.size <= MAX_CARDS) {
      return new Set(this._scene.nodes.keys());
    }
    const near = new Set<string>();
    for (const [urn, { at }] of this._scene.nodes) {
      const left = at.x * scale + x;
      const top = at.y * scale + y;
      const inside =
        left + NODE_WIDTH * scale > 0 && left < size.width && top + NODE_HEIGHT * scale > 0 && top < size.height;
      if (inside && scale >= CARD_SCALE && near.size < MAX_CARDS) {
        near.add(urn);
      }
    }
    // The focused card must not be removed.
    if (this._cards.hasFocus(this._current)) {
      near.add(this._current);
    }
    return near;
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
    this._isMoved = true;
    this._view = zoomView(this._view, Math.exp(-event.deltaY * 0.0015), this._getPoint(event));
    this._schedule();
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
      this._isMoved ||= this._dragDistance > MAX_CLICK_MOVEMENT;
      this._view = { ...this._view, x: this._view.x + event.movementX, y: this._view.y + event.movementY };
      this._schedule();
    } else if (event.type === 'pointerup' || event.type === 'pointercancel') {
      this._isDragging = false;
    }
  }

  private _onClick(event: MouseEvent): void {
    const urn = this._getUrn(event.target);
    if (urn !== undefined) {
      const side = event.target instanceof HTMLElement ? event.target.dataset['side'] : undefined;
      if (side === 'upstream' || side === 'downstream') {
        this._actions.expand(urn, side);
      } else {
        this._actions.selectNode(urn);
      }
      return;
    }
    if (this._dragDistance > MAX_CLICK_MOVEMENT) {
      return;
    }
    const place = toDrawingPoint(this._view, this._getPoint(event));
    const node = findNodeAt(this._scene, place);
    const edge = node ? null : findEdgeAt(this._scene, place, EDGE_TOLERANCE_PX / this._view.scale);
    if (node) {
      this._actions.selectNode(node.urn);
    } else if (edge) {
      this._actions.selectEdge(edge);
    } else {
      this._actions.clearSelection();
    }
  }

  private _onDoubleClick(target: EventTarget | null): void {
    const urn = this._getUrn(target);
    const onExpander = target instanceof HTMLElement && target.dataset['side'] !== undefined;
    if (urn !== undefined && !onExpander) {
      this._actions.open(urn);
    }
  }

  private _onFocus(target: EventTarget | null): void {
    const urn = this._getUrn(target);
    if (urn !== undefined) {
      this._current = urn;
    }
  }

  private _onKeyDown(event: KeyboardEvent): void {
    const urn = this._getUrn(event.target);
    if (urn === undefined || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const sides: Record<string, Side> = { '[': 'upstream', ']': 'downstream' };
    const side = sides[event.key];
    const next = findNextNode(this._scene, urn, event.key);
    if (event.key === 'Enter' && (event.target as HTMLElement).dataset['side'] === undefined) {
      event.preventDefault();
      this._actions.open(urn);
    } else if (side) {
      this._actions.expand(urn, side);
    } else if (event.key === 'Escape') {
      this._actions.clearSelection();
    } else if (next !== undefined) {
      event.preventDefault();
      this.focusNode(next);
      this._actions.selectNode(next);
    }
  }

  private _canvas: HTMLCanvasElement;
  private _cards: CardLayer;
  private _observer: ResizeObserver;
  private _palette: IPalette;
  private _scene: IScene = { ...EMPTY_SCENE, graph: EMPTY_GRAPH };
  private _view: IViewport = { x: 0, y: 0, scale: 1 };
  private _highlight: IHighlight = { node: null, edge: null };
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
