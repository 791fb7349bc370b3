import type { IBadge, ICardAppearance, ILabels } from './cards';
import { createCard } from './cards';
import type { IColumn, IColumnPath } from './columns';
import { getFieldId } from './columns';
import type { Side } from './graph';
import { EMPTY_GRAPH } from './graph';
import { MIN_TEXT_PX } from './painter';
import type { IPlacedNode, IScene } from './scene';
import { EMPTY_SCENE } from './scene';
import type { IViewport } from './viewport';

/** What the cards of a scene show in addition to their nodes, by URN. */
export interface IAppearance {
  colours: ReadonlyMap<string, number>;
  details: ReadonlyMap<string, string>;
  badges: ReadonlyMap<string, readonly IBadge[]>;
  /** CSS colours of marks of extensions. */
  marks: ReadonlyMap<string, string>;
}

export const PLAIN_APPEARANCE: IAppearance = {
  colours: new Map(),
  details: new Map(),
  badges: new Map(),
  marks: new Map()
};

/** What is emphasised of the cards. */
export interface ICardEmphasis {
  selected: string | null;
  /** The nodes that are not faded; null for all. */
  path: ReadonlySet<string> | null;
  column: IColumn | null;
  columns: IColumnPath | null;
  /** The nodes that others added just now. */
  news: ReadonlySet<string>;
}

/** The nodes that are HTML elements over the canvas. One of them is in the tab order. */
export class CardLayer {
  readonly element = document.createElement('div');

  constructor(private _labels: ILabels) {
    this.element.className = 'jp-Colophon-cards';
  }

  /** Shows another scene. Returns the focused card and its column, if they were removed. */
  show(scene: IScene, appearance: IAppearance): { urn: string; field: string | undefined } | null {
    const focused = this.element.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
    const urn = focused?.closest<HTMLElement>('.jp-Colophon-node')?.dataset['urn'];
    const field = focused?.dataset['field'];
    this._scene = scene;
    this._appearance = appearance;
    this._sides = collectSides(scene);
    this.element.replaceChildren();
    this._cards.clear();
    return urn === undefined ? null : { urn, field };
  }

  /** Moves all cards with the view; texts keep a readable size on the screen. */
  move(view: IViewport): void {
    this.element.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
    if (view.scale !== this._scale) {
      this._scale = view.scale;
      this.element.style.setProperty('--jp-Colophon-minText', `${MIN_TEXT_PX / view.scale}px`);
      // Two lines of readable text only fit into a card of nearly its full size.
      this.element.classList.toggle('jp-mod-far', view.scale < 0.92);
      // The rows of columns are too low for readable text.
      this.element.classList.toggle('jp-mod-distant', view.scale < 0.66);
    }
  }

  /** Adds and removes cards, so that there are those of the given nodes. While only the view moves, nothing changes. */
  draw(visible: ReadonlySet<string>, emphasis: ICardEmphasis, current: string): void {
    const isComplete = visible.size === this._cards.size && [...visible].every(urn => this._cards.has(urn));
    if (!isComplete) {
      for (const [urn, element] of this._cards) {
        if (!visible.has(urn)) {
          element.remove();
          this._cards.delete(urn);
        }
      }
      visible.forEach(urn => this._addCard(urn));
    }
    if (!isComplete || current !== this._current || !isEqual(emphasis, this._emphasis)) {
      this._emphasize(emphasis, current);
    }
  }

  /** Focuses a card, or a column of it. */
  focus(urn: string, field?: string): void {
    const row = field === undefined ? null : this._getRow(urn, field);
    // The view moves by itself; scrolling by the browser would shift the canvas relative to the cards.
    (row ?? this._getButton(urn))?.focus({ preventScroll: true });
  }

  /** Whether a card, or a button on it, has the focus. */
  hasFocus(urn: string): boolean {
    return this._cards.get(urn)?.contains(document.activeElement) ?? false;
  }

  private _emphasize(emphasis: ICardEmphasis, current: string): void {
    this._current = current;
    this._emphasis = emphasis;
    const { selected, path, column, columns, news } = emphasis;
    for (const [urn, card] of this._cards) {
      const main = this._getButton(urn);
      main?.setAttribute('tabindex', urn === current ? '0' : '-1');
      main?.setAttribute('aria-pressed', String(urn === selected));
      card.classList.toggle('jp-mod-faded', path !== null && !path.has(urn));
      card.classList.toggle('jp-mod-new', news.has(urn));
      for (const row of card.querySelectorAll<HTMLElement>('[data-field]')) {
        const field = row.dataset['field'] ?? '';
        row.classList.toggle('jp-mod-onPath', columns?.fields.has(getFieldId({ urn, field })) === true);
        row.setAttribute('aria-pressed', String(column?.urn === urn && column.field === field));
      }
    }
  }

  private _addCard(urn: string): void {
    const placed = this._scene.nodes.get(urn);
    if (placed && !this._cards.has(urn)) {
      const element = createCard(placed, this._getAppearance(placed), this._labels);
      this._cards.set(urn, element);
      this.element.append(element);
    }
  }

  private _getAppearance({ node }: IPlacedNode): ICardAppearance {
    const { colours, details, badges, marks } = this._appearance;
    return {
      isFocus: node.urn === this._scene.graph.focus,
      colour: colours.get(node.urn),
      detail: details.get(node.urn),
      badges: badges.get(node.urn) ?? [],
      mark: marks.get(node.urn),
      collapsible: this._sides.get(node.urn) ?? [],
      hasColumns: node.type === 'dataset'
    };
  }

  private _getButton(urn: string): HTMLElement | null {
    return (this._cards.get(urn)?.firstElementChild as HTMLElement | undefined) ?? null;
  }

  private _getRow(urn: string, field: string): HTMLElement | null {
    const rows = this._cards.get(urn)?.querySelectorAll<HTMLElement>('[data-field]') ?? [];
    return [...rows].find(row => row.dataset['field'] === field) ?? null;
  }

  private _scene: IScene = { ...EMPTY_SCENE, graph: EMPTY_GRAPH };
  private _appearance: IAppearance = PLAIN_APPEARANCE;
  private _sides = new Map<string, readonly Side[]>();
  private _cards = new Map<string, HTMLElement>();
  private _scale = 0;
  private _current = '';
  private _emphasis: ICardEmphasis | null = null;
}

function isEqual(a: ICardEmphasis, b: ICardEmphasis | null): boolean {
  return (Object.keys(a) as (keyof ICardEmphasis)[]).every(key => a[key] === b?.[key]);
}

/** Returns the sides of each node with shown neighbours; a cluster has none to collapse. */
function collectSides(scene: IScene): Map<string, readonly Side[]> {
  const sides = new Map<string, Set<Side>>();
  const add = (urn: string, side: Side): void => void sides.set(urn, (sides.get(urn) ?? new Set()).add(side));
  for (const { source, target } of scene.graph.edges) {
    add(source, 'downstream');
    add(target, 'upstream');
  }
  return new Map([...sides].map(([urn, set]) => [urn, scene.nodes.get(urn)?.node.members ? [] : [...set]]));
}
