import type { ILabels } from './cards';
import type { IColumn } from './columns';
import type { Side } from './graph';
import type { IScene } from './scene';
import { findNextColumn, findNextNode, findNodeByPrefix } from './scene';
import { TypeAhead } from './type-ahead';
import type { IViewActions } from './view';

/** The drawing that the keyboard moves in. */
interface IDrawing {
  readonly scene: IScene;
  focusNode(urn: string, field?: string): void;
  /** Selects a node; a group is opened instead. */
  activate(urn: string): void;
}

const EXPANDING: Readonly<Record<string, Side>> = { '[': 'upstream', ']': 'downstream' };
const COLLAPSING: Readonly<Record<string, Side>> = { '{': 'upstream', '}': 'downstream' };

/** The keys on cards and columns: arrows follow edges, letters find a node, and others act on the card. */
export class Keyboard {
  constructor(
    private _drawing: IDrawing,
    private _labels: ILabels,
    private _actions: IViewActions
  ) {}

  /** Handles a key on a column. Arrows follow the edges between columns; up from the first one leads to the card. */
  onColumnKey(column: IColumn, key: string): boolean {
    const next = findNextColumn(this._drawing.scene, column, key);
    if (next) {
      this._drawing.focusNode(next.urn, next.field);
    } else if (key === 'ArrowUp') {
      this._drawing.focusNode(column.urn);
    } else if (key === 'Escape') {
      this._actions.selectColumn(null);
      this._drawing.focusNode(column.urn);
    }
    return next !== undefined || key === 'ArrowUp' || key === 'Escape';
  }

  /** Handles a key on a card, or on one of its buttons. */
  onCardKey(urn: string, { key, timeStamp }: KeyboardEvent, isOnButton: boolean): boolean {
    const placed = this._drawing.scene.nodes.get(urn);
    const firstColumn = placed?.columns?.fields[0];
    if (key === 'Enter' && !isOnButton) {
      this._open(urn, placed?.node.members !== undefined);
    } else if (key === 'ArrowDown' && firstColumn !== undefined) {
      this._drawing.focusNode(urn, firstColumn);
    } else if (!this._act(urn, key)) {
      return this._moveFocus(urn, key, isOnButton ? null : this._typeAhead.add(key, timeStamp));
    }
    return true;
  }

  /** Expands, collapses, or shows the columns of a card, or clears the selection. */
  private _act(urn: string, key: string): boolean {
    if (EXPANDING[key]) {
      this._actions.expand(urn, EXPANDING[key]);
    } else if (COLLAPSING[key]) {
      this._actions.collapse(urn, COLLAPSING[key]);
    } else if (key === 'Insert') {
      this._actions.toggleColumns(urn);
    } else if (key === 'Escape') {
      this._actions.clearSelection();
    } else {
      return false;
    }
    return true;
  }

  private _open(urn: string, isGroup: boolean): void {
    if (isGroup) {
      this._actions.openGroup(urn);
    } else {
      this._actions.open(urn);
    }
  }

  /** Moves the focus by an arrow, Home or End, or to the next node whose name begins with the typed letters. */
  private _moveFocus(urn: string, key: string, typed: string | null): boolean {
    const { scene } = this._drawing;
    const next =
      typed === null
        ? findNextNode(scene, urn, key)
        : findNodeByPrefix(scene, urn, typed, node => this._labels.getName(node));
    if (next !== undefined) {
      this._drawing.focusNode(next);
      if (!scene.nodes.get(next)?.node.members) {
        this._actions.selectNode(next);
      }
    }
    return next !== undefined;
  }

  private _typeAhead = new TypeAhead();
}
