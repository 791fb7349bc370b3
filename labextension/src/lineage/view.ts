import type { IDisposable } from '@lumino/disposable';
import { CardLayer } from './card-layer';
import type { IWords } from './cards';
import type { IEdge, Side } from './graph';
import { EMPTY_GRAPH } from './graph';
import type { IPoint } from './layout';
import { NODE_HEIGHT, NODE_WIDTH } from './layout';
import type { IPalette } from './painter';
import { paint, paletteOf } from './painter';
import type { IScene } from './scene';
import { boxOfNew, edgeAt, EMPTY_SCENE, nodeAt, stepFrom } from './scene';
import type { ISize, IViewport } from './viewport';
import { fitted, including, opened, placeAt, SCALE_TO_MAKE_OUT, showing, zoomed } from './viewport';

/** What a person does in the drawing. */
export interface IViewActions {
  pickNode(urn: string): void;
  pickEdge(edge: IEdge): void;
  pickNothing(): void;
  open(urn: string): void;
  expand(urn: string, side: Side): void;
}

/** What is picked: a node by its URN or an edge by its id. */
export interface IPicked {
  node: string | null;
  edge: string | null;
}

/** How the drawing behaves where it stands. */
export interface IManners {
  /** The scale down to which it opens with everything in view. */
  leastScale: number;
  /** Whether the wheel alone zooms; else it does with Ctrl held down, and the page scrolls without. */
  wheelZooms: boolean;
}

const OF_ITS_OWN: IManners = { leastScale: SCALE_TO_MAKE_OUT, wheelZooms: true };

/** Below this scale a card cannot be read: then nodes are painted. */
const SCALE_OF_CARDS = SCALE_TO_MAKE_OUT;
const CARDS_MOST = 300;
const CLICK_MOVES_MOST = 4;
const EDGE_NEAR_PX = 8;
const ZOOM_STEP = 1.25;

/** The drawing of a scene: edges on a canvas, nodes as HTML near the eye. Knows no framework. */
export class LineageView implements IDisposable {
  constructor(
    readonly host: HTMLElement,
    words: IWords,
    private _actions: IViewActions,
    private _manners: IManners = OF_ITS_OWN
  ) {
    host.classList.add('jp-Colophon-graph');
    host.setAttribute('role', 'group');
    host.setAttribute('aria-label', words.graph);
    this._canvas = document.createElement('canvas');
    this._canvas.setAttribute('aria-hidden', 'true');
    this._cards = new CardLayer(words);
    host.append(this._canvas, this._cards.element);
    this._palette = paletteOf(host);
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
    this._observer = new ResizeObserver(() => this._resized());
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
      this._wheel(event);
    } else if (event instanceof KeyboardEvent) {
      this._key(event);
    } else if (event.type === 'scroll') {
      this._scrolled();
    } else if (event.type === 'focusin') {
      this._focused(event.target);
    } else if (event.type === 'click') {
      this._clicked(event as MouseEvent);
    } else if (event.type === 'dblclick') {
      this._opened(event.target);
    } else if (event.type.startsWith('pointer')) {
      this._pointer(event as PointerEvent);
    }
  }

  /**
   * Draws another scene. It fills the room, unless somebody moved the drawing: then the view stays where it is.
   * What is new beside a node that was expanded comes into view at any rate.
   */
  show(scene: IScene, expanded: string | null = null): void {
    const other = scene.graph.focus !== this._scene.graph.focus || this._scene.nodes.size === 0;
    const anchor = this._anchor(scene);
    this._grown = expanded === null ? null : boxOfNew(this._scene, scene, expanded);
    this._scene = scene;
    const hadFocus = this._cards.show(scene);
    this.host.dataset['nodes'] = String(scene.nodes.size);
    this.host.dataset['edges'] = String(scene.edges.length);
    if (!scene.nodes.has(this._current)) {
      this._current = scene.graph.focus;
    }
    if (!other && anchor && this._moved) {
      this._view = { ...this._view, x: this._view.x + anchor.x, y: this._view.y + anchor.y };
      this._revealGrown(this._size());
    } else {
      this._filling = other ? 'open' : this._filling;
      this._wanted = this._filling;
    }
    this._draw();
    if (hadFocus) {
      this._cards.focus(this._current);
    }
  }

  /** Marks what is picked. */
  pick(picked: IPicked): void {
    this._toReveal = picked.node === this._picked.node ? this._toReveal : picked.node;
    this._picked = picked;
    this._draw();
  }

  /** Everything in view. */
  fit(): void {
    this._filling = 'fit';
    this._wanted = 'fit';
    this._draw();
  }

  /** Nearer for 1, farther for -1, around the middle. */
  zoom(steps: number): void {
    const { width, height } = this._size();
    this._moved = true;
    this._view = zoomed(this._view, ZOOM_STEP ** steps, { x: width / 2, y: height / 2 });
    this._draw();
  }

  /** Draws with the colours of another theme. */
  recolour(): void {
    this._palette = paletteOf(this.host);
    this._draw();
  }

  /** Puts the keyboard on a node. */
  focusNode(urn: string): void {
    if (this._scene.nodes.has(urn)) {
      this._current = urn;
      this._reveal(urn, this._size());
      this._draw();
      this._cards.focus(urn);
    }
  }

  /** How far the shared current node moves, so that it can be kept in place. */
  private _anchor(scene: IScene): IPoint | undefined {
    const urn = scene.nodes.has(this._current) ? this._current : scene.graph.focus;
    const before = this._scene.nodes.get(urn)?.at;
    const after = scene.nodes.get(urn)?.at;
    const { scale } = this._view;
    return before && after ? { x: (before.x - after.x) * scale, y: (before.y - after.y) * scale } : undefined;
  }

  private _size(): ISize {
    return { width: this.host.clientWidth, height: this.host.clientHeight };
  }

  private _resized(): void {
    // Until somebody moves the drawing, it goes on filling the room there is.
    this._wanted ??= this._moved ? null : this._filling;
    if (this._wanted === null) {
      // The details of what was just picked must not cover it.
      this._reveal(this._toReveal, this._size());
    }
    this._toReveal = null;
    this._schedule();
  }

  private _schedule(): void {
    this._frame ||= requestAnimationFrame(() => {
      this._frame = 0;
      this._draw();
    });
  }

  private _draw(): void {
    const size = this._size();
    if (this._isDisposed || size.width === 0 || size.height === 0) {
      return;
    }
    this._setView(size);
    const near = this._near(size);
    this._cards.draw(near, this._view, this._picked.node, this._current);
    const all = [...this._scene.nodes.keys()];
    const far = new Set(all.filter(urn => !near.has(urn)));
    const { node, edge } = this._picked;
    paint(this._canvas, size, this._palette, { scene: this._scene, view: this._view, node, edge, far });
  }

  private _setView(size: ISize): void {
    if (this._wanted === 'fit') {
      this._view = fitted(this._scene, size);
    } else if (this._wanted === 'open') {
      const at = this._scene.nodes.get(this._scene.graph.focus)?.at ?? { x: 0, y: 0 };
      const centre = { x: at.x + NODE_WIDTH / 2, y: at.y + NODE_HEIGHT / 2 };
      this._view = opened(this._scene, size, centre, this._manners.leastScale);
      this._reveal(this._picked.node, size);
      this._revealGrown(size);
    }
    this._moved &&= this._wanted === null;
    this._wanted = null;
  }

  private _reveal(urn: string | null, size: ISize): void {
    const placed = urn === null ? undefined : this._scene.nodes.get(urn);
    if (placed) {
      this._view = showing(this._view, { ...placed.at, width: NODE_WIDTH, height: NODE_HEIGHT }, size);
    }
  }

  private _revealGrown(size: ISize): void {
    if (this._grown && size.width > 0 && size.height > 0) {
      this._view = including(this._view, this._grown, size);
    }
  }

  /**
   * Nodes that get a card: all that can be read. Of very many only those in view, for the browser's sake;
   * else a screen reader finds every one.
   */
  private _near(size: ISize): Set<string> {
    const { x, y, scale } = this._view;
    if (scale >= SCALE_OF_CARDS && this._scene.nodes.size <= CARDS_MOST) {
      return new Set(this._scene.nodes.keys());
    }
    const near = new Set<string>();
    for (const [urn, { at }] of this._scene.nodes) {
      const left = at.x * scale + x;
      const top = at.y * scale + y;
      const inside =
        left + NODE_WIDTH * scale > 0 && left < size.width && top + NODE_HEIGHT * scale > 0 && top < size.height;
      if (inside && scale >= SCALE_OF_CARDS && near.size < CARDS_MOST) {
        near.add(urn);
      }
    }
    // The card that has the keyboard must not vanish below it.
    if (this._cards.hasFocus(this._current)) {
      near.add(this._current);
    }
    return near;
  }

  private _urnOf(target: EventTarget | null): string | undefined {
    return target instanceof Element ? target.closest<HTMLElement>('.jp-Colophon-node')?.dataset['urn'] : undefined;
  }

  private _at(event: MouseEvent): IPoint {
    const box = this.host.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private _wheel(event: WheelEvent): void {
    if (!this._manners.wheelZooms && !event.ctrlKey && !event.metaKey) {
      return;
    }
    event.preventDefault();
    this._moved = true;
    this._view = zoomed(this._view, Math.exp(-event.deltaY * 0.0015), this._at(event));
    this._schedule();
  }

  /** A browser scrolls to what it wants to show, such as a card found by a search in the page: so move the view. */
  private _scrolled(): void {
    const { scrollLeft, scrollTop } = this.host;
    if (scrollLeft !== 0 || scrollTop !== 0) {
      this.host.scrollTo(0, 0);
      this._moved = true;
      this._view = { ...this._view, x: this._view.x - scrollLeft, y: this._view.y - scrollTop };
      this._draw();
    }
  }

  private _pointer(event: PointerEvent): void {
    if (event.type === 'pointerdown') {
      this._dragged = 0;
      this._dragging = event.button === 0 && this._urnOf(event.target) === undefined;
    } else if (event.type === 'pointermove' && this._dragging) {
      if (!this.host.hasPointerCapture(event.pointerId)) {
        this.host.setPointerCapture(event.pointerId);
      }
      this._dragged += Math.abs(event.movementX) + Math.abs(event.movementY);
      this._moved ||= this._dragged > CLICK_MOVES_MOST;
      this._view = { ...this._view, x: this._view.x + event.movementX, y: this._view.y + event.movementY };
      this._schedule();
    } else if (event.type === 'pointerup' || event.type === 'pointercancel') {
      this._dragging = false;
    }
  }

  private _clicked(event: MouseEvent): void {
    const urn = this._urnOf(event.target);
    if (urn !== undefined) {
      const side = event.target instanceof HTMLElement ? event.target.dataset['side'] : undefined;
      if (side === 'upstream' || side === 'downstream') {
        this._actions.expand(urn, side);
      } else {
        this._actions.pickNode(urn);
      }
      return;
    }
    if (this._dragged > CLICK_MOVES_MOST) {
      return;
    }
    const place = placeAt(this._view, this._at(event));
    const node = nodeAt(this._scene, place);
    const edge = node ? null : edgeAt(this._scene, place, EDGE_NEAR_PX / this._view.scale);
    if (node) {
      this._actions.pickNode(node.urn);
    } else if (edge) {
      this._actions.pickEdge(edge);
    } else {
      this._actions.pickNothing();
    }
  }

  private _opened(target: EventTarget | null): void {
    const urn = this._urnOf(target);
    const onExpander = target instanceof HTMLElement && target.dataset['side'] !== undefined;
    if (urn !== undefined && !onExpander) {
      this._actions.open(urn);
    }
  }

  private _focused(target: EventTarget | null): void {
    const urn = this._urnOf(target);
    if (urn !== undefined) {
      this._current = urn;
    }
  }

  private _key(event: KeyboardEvent): void {
    const urn = this._urnOf(event.target);
    if (urn === undefined || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const sides: Record<string, Side> = { '[': 'upstream', ']': 'downstream' };
    const side = sides[event.key];
    const next = stepFrom(this._scene, urn, event.key);
    if (event.key === 'Enter' && (event.target as HTMLElement).dataset['side'] === undefined) {
      event.preventDefault();
      this._actions.open(urn);
    } else if (side) {
      this._actions.expand(urn, side);
    } else if (event.key === 'Escape') {
      this._actions.pickNothing();
    } else if (next !== undefined) {
      event.preventDefault();
      this.focusNode(next);
      this._actions.pickNode(next);
    }
  }

  private _canvas: HTMLCanvasElement;
  private _cards: CardLayer;
  private _observer: ResizeObserver;
  private _palette: IPalette;
  private _scene: IScene = { ...EMPTY_SCENE, graph: EMPTY_GRAPH };
  private _view: IViewport = { x: 0, y: 0, scale: 1 };
  private _picked: IPicked = { node: null, edge: null };
  private _current = '';
  private _frame = 0;
  private _filling: 'open' | 'fit' = 'open';
  private _wanted: 'open' | 'fit' | null = 'open';
  private _grown: (IPoint & ISize) | null = null;
  private _toReveal: string | null = null;
  private _moved = false;
  private _dragging = false;
  private _dragged = 0;
  private _isDisposed = false;
}
