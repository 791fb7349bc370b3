import type { IPalette } from './palette';
import { NODE_WIDTH } from './layout';
import type { IScene } from './scene';
import type { ISize, IViewport } from './viewport';

const WIDTH = 168;
const HEIGHT = 104;
const PADDING = 6;

/**
 * The whole graph in small, with a frame around the visible part. It is for the pointer; keys move along edges.
 */
export class Minimap {
  readonly element = document.createElement('div');

  /** @param moveTo - Centres the view on a point of the drawing. */
  constructor(private _moveTo: (x: number, y: number) => void) {
    this.element.className = 'jp-Colophon-minimap';
    this.element.setAttribute('aria-hidden', 'true');
    this._frame.className = 'jp-Colophon-minimapFrame';
    this.element.append(this._canvas, this._frame);
    this.element.style.width = `${WIDTH}px`;
    this.element.style.height = `${HEIGHT}px`;
    this.element.addEventListener('pointerdown', event => this._onPointer(event));
    this.element.addEventListener('pointermove', event => event.buttons === 1 && this._onPointer(event));
  }

  /** Paints the nodes of a scene. */
  show(scene: IScene, palette: IPalette, fills: ReadonlyMap<string, string>): void {
    const ratio = window.devicePixelRatio || 1;
    this._scale = Math.min(
      (WIDTH - 2 * PADDING) / Math.max(1, scene.width),
      (HEIGHT - 2 * PADDING) / Math.max(1, scene.height)
    );
    this._x = (WIDTH - scene.width * this._scale) / 2;
    this._y = (HEIGHT - scene.height * this._scale) / 2;
    this._canvas.width = WIDTH * ratio;
    this._canvas.height = HEIGHT * ratio;
    const context = this._canvas.getContext('2d');
    if (!context) {
      return;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (const [urn, { at, height }] of scene.nodes) {
      const isFocus = urn === scene.graph.focus;
      context.fillStyle = isFocus ? palette.selected : (fills.get(urn) ?? palette.edge);
      context.fillRect(
        this._x + at.x * this._scale,
        this._y + at.y * this._scale,
        Math.max(isFocus ? 4 : 1.5, NODE_WIDTH * this._scale),
        Math.max(isFocus ? 3 : 1, height * this._scale)
      );
    }
  }

  /** Moves the frame to the visible part. The map is hidden while everything is visible. */
  draw(scene: IScene, view: IViewport, size: ISize): void {
    const isInside =
      view.x >= 0 &&
      view.y >= 0 &&
      view.x + scene.width * view.scale <= size.width &&
      view.y + scene.height * view.scale <= size.height;
    this.element.hidden = isInside || this._isHidden;
    const left = Math.max(0, this._x - (view.x / view.scale) * this._scale);
    const top = Math.max(0, this._y - (view.y / view.scale) * this._scale);
    const right = Math.min(WIDTH, this._x + ((size.width - view.x) / view.scale) * this._scale);
    const bottom = Math.min(HEIGHT, this._y + ((size.height - view.y) / view.scale) * this._scale);
    this._frame.style.transform = `translate(${left}px, ${top}px)`;
    this._frame.style.width = `${Math.max(0, right - left)}px`;
    this._frame.style.height = `${Math.max(0, bottom - top)}px`;
  }

  /** Hides the map in any case, as in small outputs. */
  set isHidden(isHidden: boolean) {
    this._isHidden = isHidden;
    this.element.hidden = isHidden;
  }

  private _onPointer(event: PointerEvent): void {
    event.stopPropagation();
    event.preventDefault();
    const box = this.element.getBoundingClientRect();
    const x = (event.clientX - box.left - this._x) / this._scale;
    const y = (event.clientY - box.top - this._y) / this._scale;
    this._moveTo(x, y);
  }

  private _canvas = document.createElement('canvas');
  private _frame = document.createElement('div');
  private _scale = 1;
  private _x = 0;
  private _y = 0;
  private _isHidden = false;
}
