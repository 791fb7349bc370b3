import type { IPicture } from './painter';
import { paint } from './painter';
import type { IPalette } from './palette';
import type { ISize, IViewport } from './viewport';

/** The part of the size of the view that a large drawing is painted beyond each of its sides. */
const MARGIN = 0.25;

/**
 * The canvas of a drawing. The picture of a large graph is kept while the view moves: the browser moves and scales the
 * canvas, which is painted again when its margin is used up, and after each movement.
 */
export class Picture {
  readonly canvas = document.createElement('canvas');

  constructor() {
    this.canvas.setAttribute('aria-hidden', 'true');
  }

  /** Discards the picture: it is painted again with the next `draw`. */
  invalidate(): void {
    this._painted = null;
  }

  /** Draws the current view. A large picture has a margin; it is moved, not painted, while the view moves. */
  draw(size: ISize, palette: IPalette, picture: IPicture, isLarge: boolean, isMoving: boolean): void {
    const { view } = picture;
    if (isLarge && isMoving && this._canMove(view, size)) {
      this._move(view);
      return;
    }
    const margin = isLarge ? MARGIN : 0;
    const dx = size.width * margin;
    const dy = size.height * margin;
    const whole = { width: size.width + 2 * dx, height: size.height + 2 * dy };
    this.canvas.style.left = `${-dx}px`;
    this.canvas.style.top = `${-dy}px`;
    this.canvas.style.width = `${whole.width}px`;
    this.canvas.style.height = `${whole.height}px`;
    this.canvas.style.transform = '';
    paint(this.canvas, whole, palette, { ...picture, view: { ...view, x: view.x + dx, y: view.y + dy } });
    this._painted = { view, size };
  }

  /** Whether the picture still covers the view. */
  private _canMove(view: IViewport, size: ISize): boolean {
    const { _painted: painted } = this;
    if (!painted || painted.size.width !== size.width || painted.size.height !== size.height) {
      return false;
    }
    const factor = view.scale / painted.view.scale;
    if (factor !== 1) {
      return factor > 0.4 && factor < 2.5;
    }
    return (
      Math.abs(view.x - painted.view.x) <= size.width * MARGIN &&
      Math.abs(view.y - painted.view.y) <= size.height * MARGIN
    );
  }

  private _move(view: IViewport): void {
    const { view: painted, size } = this._painted!;
    const factor = view.scale / painted.scale;
    const left = size.width * MARGIN;
    const top = size.height * MARGIN;
    // The canvas begins a margin before the view; the point of the drawing at its corner stays there.
    const x = view.x - painted.x * factor + left - left * factor;
    const y = view.y - painted.y * factor + top - top * factor;
    this.canvas.style.transformOrigin = '0 0';
    this.canvas.style.transform = `translate(${x}px, ${y}px) scale(${factor})`;
  }

  private _painted: { view: IViewport; size: ISize } | null = null;
}
