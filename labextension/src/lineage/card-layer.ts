import type { ILabels } from './cards';
import { createCard } from './cards';
import { EMPTY_GRAPH } from './graph';
import type { IScene } from './scene';
import { EMPTY_SCENE } from './scene';
import type { IViewport } from './viewport';

/** The nodes that are HTML elements over the canvas. One of them is in the tab order. */
export class CardLayer {
  readonly element = document.createElement('div');

  constructor(private _labels: ILabels) {
    this.element.className = 'jp-Colophon-cards';
  }

  /** Shows another scene. Returns whether a removed card had the focus. */
  show(scene: IScene): boolean {
    const hadFocus = this.element.contains(document.activeElement);
    this._scene = scene;
    this._cards.forEach(element => element.remove());
    this._cards.clear();
    return hadFocus;
  }

  /** Draws the cards of the given nodes in the current view. */
  draw(visible: ReadonlySet<string>, view: IViewport, selected: string | null, current: string): void {
    this.element.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
    for (const [urn, element] of this._cards) {
      if (!visible.has(urn)) {
        element.remove();
        this._cards.delete(urn);
      }
    }
    visible.forEach(urn => this._addCard(urn));
    for (const urn of this._cards.keys()) {
      const main = this._getButton(urn);
      main?.setAttribute('tabindex', urn === current ? '0' : '-1');
      main?.setAttribute('aria-pressed', String(urn === selected));
    }
  }

  /** Focuses a card. */
  focus(urn: string): void {
    // The view moves by itself; scrolling by the browser would shift the canvas relative to the cards.
    this._getButton(urn)?.focus({ preventScroll: true });
  }

  /** Whether a card, or a button on it, has the focus. */
  hasFocus(urn: string): boolean {
    return this._cards.get(urn)?.contains(document.activeElement) ?? false;
  }

  private _addCard(urn: string): void {
    const placed = this._scene.nodes.get(urn);
    if (placed && !this._cards.has(urn)) {
      const element = createCard(placed, urn === this._scene.graph.focus, this._labels);
      this._cards.set(urn, element);
      this.element.append(element);
    }
  }

  private _getButton(urn: string): HTMLElement | null {
    return (this._cards.get(urn)?.firstElementChild as HTMLElement | undefined) ?? null;
  }

  private _scene: IScene = { ...EMPTY_SCENE, graph: EMPTY_GRAPH };
  private _cards = new Map<string, HTMLElement>();
}
