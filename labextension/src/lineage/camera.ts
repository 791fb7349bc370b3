import type { IPoint } from './layout';
import { NODE_HEIGHT, NODE_WIDTH } from './layout';
import type { IScene } from './scene';
import { getNewNodesBox } from './scene';
import type { ISize, IViewport } from './viewport';
import { fitBox, fitView, openView, READING_SCALE, revealBox, zoomView } from './viewport';

const ZOOM_STEP = 1.25;
/** After this pause a movement of the view has ended. */
const REST_MS = 140;

/** The visible part of a drawing. Until the user moves it, it fits the drawing into the view. */
export class Camera {
  /**
   * @param _getSize - Returns the size of the view.
   * @param _minScale - The minimum scale to open with the whole graph in view.
   * @param _onMove - Called when the view moves, and when it rests.
   */
  constructor(
    private _getSize: () => ISize,
    private _minScale: number,
    private _onMove: (isMoving: boolean) => void
  ) {}

  get view(): IViewport {
    return this._view;
  }

  /** Whether the user moves the view. */
  get isMoving(): boolean {
    return this._restTimer !== 0;
  }

  dispose(): void {
    window.clearTimeout(this._restTimer);
  }

  /** Follows another scene: the current node stays in place if the user has moved the view; else, the scene is fitted. */
  follow(before: IScene, scene: IScene, current: string, expanded: string | null): void {
    const isOther = scene.graph.focus !== before.graph.focus || before.nodes.size === 0;
    const shift = this._getShift(before, scene, current);
    this._newNodesBox = expanded === null ? null : getNewNodesBox(before, scene, expanded);
    if (!isOther && shift && this._isMoved) {
      this._view = { ...this._view, x: this._view.x + shift.x, y: this._view.y + shift.y };
      this._revealNewNodes();
    } else {
      this._fitMode = isOther ? 'open' : this._fitMode;
      this._pendingFit = this._fitMode;
    }
  }

  /** Fits the scene into the view, if that is pending. */
  update(scene: IScene, selected: string | null): void {
    const size = this._getSize();
    if (this._pendingFit === 'fit') {
      this._view = fitView(scene, size);
    } else if (this._pendingFit === 'open') {
      const at = scene.nodes.get(scene.graph.focus)?.at ?? { x: 0, y: 0 };
      const centre = { x: at.x + NODE_WIDTH / 2, y: at.y + NODE_HEIGHT / 2 };
      this._view = openView(scene, size, centre, this._minScale);
      this.reveal(scene, selected);
      this._revealNewNodes();
    }
    this._isMoved &&= this._pendingFit === null;
    this._pendingFit = null;
  }

  /** Follows another size of the view; the details of a node that is selected just then must not cover it. */
  resize(scene: IScene, selected: string | null): void {
    this._pendingFit ??= this._isMoved ? null : this._fitMode;
    if (this._pendingFit === null) {
      this.reveal(scene, selected);
    }
  }

  /** Fits the whole graph into the view. */
  fit(): void {
    this._fitMode = 'fit';
    this._pendingFit = 'fit';
  }

  /** Zooms around the centre: in for 1, out for -1. */
  zoom(steps: number): void {
    const { width, height } = this._getSize();
    this.zoomAt(ZOOM_STEP ** steps, { x: width / 2, y: height / 2 });
  }

  /** Zooms around a point of the view. */
  zoomAt(factor: number, at: IPoint): void {
    this._view = zoomView(this._view, factor, at);
    this._startMove();
  }

  /** Moves the view by pixels on the screen. */
  pan(dx: number, dy: number): void {
    this._view = { ...this._view, x: this._view.x + dx, y: this._view.y + dy };
    this._startMove();
  }

  /** Centres the view on a point of the drawing. */
  centre({ x, y }: IPoint): void {
    const { width, height } = this._getSize();
    const { scale } = this._view;
    this._view = { scale, x: width / 2 - x * scale, y: height / 2 - y * scale };
    this._startMove();
  }

  /** Zooms in until cards are readable. */
  enlarge(): void {
    this._view = { ...this._view, scale: Math.max(this._view.scale, READING_SCALE) };
  }

  /** Moves the view as little as possible to show a node. */
  reveal(scene: IScene, urn: string | null): void {
    const placed = urn === null ? undefined : scene.nodes.get(urn);
    if (placed) {
      const box = { ...placed.at, width: NODE_WIDTH, height: placed.height };
      this._view = revealBox(this._view, box, this._getSize());
    }
  }

  /** Returns how far a node moves in another scene, in pixels on the screen. */
  private _getShift(before: IScene, scene: IScene, current: string): IPoint | undefined {
    const urn = scene.nodes.has(current) ? current : scene.graph.focus;
    const from = before.nodes.get(urn)?.at;
    const to = scene.nodes.get(urn)?.at;
    const { scale } = this._view;
    return from && to ? { x: (from.x - to.x) * scale, y: (from.y - to.y) * scale } : undefined;
  }

  private _revealNewNodes(): void {
    const size = this._getSize();
    if (this._newNodesBox && size.width > 0 && size.height > 0) {
      this._view = fitBox(this._view, this._newNodesBox, size);
    }
  }

  private _startMove(): void {
    this._isMoved = true;
    window.clearTimeout(this._restTimer);
    this._restTimer = window.setTimeout(() => {
      this._restTimer = 0;
      this._onMove(false);
    }, REST_MS);
    this._onMove(true);
  }

  private _view: IViewport = { x: 0, y: 0, scale: 1 };
  private _fitMode: 'open' | 'fit' = 'open';
  private _pendingFit: 'open' | 'fit' | null = 'open';
  private _newNodesBox: (IPoint & ISize) | null = null;
  private _isMoved = false;
  private _restTimer = 0;
}
