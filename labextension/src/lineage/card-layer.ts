import type { IWords } from './cards';
import { card } from './cards';
import { EMPTY_GRAPH } from './graph';
import type { IScene } from './scene';
import { EMPTY_SCENE } from './scene';
import type { IViewport } from './viewport';

/** The nodes that stand as HTML upon the canvas; of all of them one takes part in tabbing. */
export class CardLayer {
  readonly element = document.createElement('div');

  constructor(private _words: IWords) {
    this.element.className = 'jp-Colophon-cards';
  }

  /** Takes another scene. Answers whether the keyboard was on a card that is gone by that. */
  show(scene: IScene): boolean {
    const hadFocus = this.element.contains(document.activeElement);
    this._scene = scene;
    this._drawn.forEach(element => element.remove());
    this._drawn.clear();
    return hadFocus;
  }

  /** Shows the cards of some nodes, as the view is now. */
  draw(wanted: ReadonlySet<string>, view: IViewport, picked: string | null, current: string): void {
    this.element.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
    for (const [urn, element] of this._drawn) {
      if (!wanted.has(urn)) {
        element.remove();
        this._drawn.delete(urn);
      }
    }
    wanted.forEach(urn => this._add(urn));
    for (const urn of this._drawn.keys()) {
      const main = this._main(urn);
      main?.setAttribute('tabindex', urn === current ? '0' : '-1');
      main?.setAttribute('aria-pressed', String(urn === picked));
    }
  }

  /** Puts the keyboard on a card. */
  focus(urn: string): void {
    // The view moves by itself; a scrolling browser would shift the canvas away from below the cards.
    this._main(urn)?.focus({ preventScroll: true });
  }

  /** Whether the keyboard is on a card, or on a button of it. */
  hasFocus(urn: string): boolean {
    return this._drawn.get(urn)?.contains(document.activeElement) ?? false;
  }

  private _add(urn: string): void {
    const placed = this._scene.nodes.get(urn);
    if (placed && !this._drawn.has(urn)) {
      const element = card(placed, urn === this._scene.graph.focus, this._words);
      this._drawn.set(urn, element);
      this.element.append(element);
    }
  }

  private _main(urn: string): HTMLElement | null {
    return (this._drawn.get(urn)?.firstElementChild as HTMLElement | undefined) ?? null;
  }

  private _scene: IScene = { ...EMPTY_SCENE, graph: EMPTY_GRAPH };
  private _drawn = new Map<string, HTMLElement>();
}
