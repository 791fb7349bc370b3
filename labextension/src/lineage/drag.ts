const MAX_CLICK_MOVEMENT = 4;

/** Follows the pointer while it drags the drawing; a movement of a few pixels is a click. */
export class Drag {
  constructor(
    private _host: HTMLElement,
    private _pan: (dx: number, dy: number) => void
  ) {}

  /** Whether the last press of the button moved the drawing. */
  get hasMoved(): boolean {
    return this._distance > MAX_CLICK_MOVEMENT;
  }

  /** Handles an event of the pointer; `isOnCard` if it is on a card, which is not dragged. */
  onPointer(event: PointerEvent, isOnCard: boolean): void {
    if (event.type === 'pointerdown') {
      this._distance = 0;
      this._isDragging = event.button === 0 && !isOnCard;
    } else if (event.type === 'pointermove' && this._isDragging) {
      if (!this._host.hasPointerCapture(event.pointerId)) {
        this._host.setPointerCapture(event.pointerId);
      }
      this._distance += Math.abs(event.movementX) + Math.abs(event.movementY);
      if (this.hasMoved) {
        this._pan(event.movementX, event.movementY);
      }
    } else if (event.type === 'pointerup' || event.type === 'pointercancel') {
      this._isDragging = false;
    }
  }

  private _distance = 0;
  private _isDragging = false;
}
