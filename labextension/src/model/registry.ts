import type { IDisposable } from '@lumino/disposable';
import { DisposableDelegate } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { IRegistry, IRegistryItem } from '../tokens';

/** A registry in the memory of the page. */
export class Registry<T extends IRegistryItem> implements IRegistry<T> {
  get items(): readonly T[] {
    return this._items;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  add(item: T): IDisposable {
    if (this._items.some(({ id }) => id === item.id)) {
      throw new Error(`There is already an item with the id '${item.id}'.`);
    }
    this._replaceItems([...this._items, item].sort((left, right) => left.rank - right.rank));
    return new DisposableDelegate(() => this._replaceItems(this._items.filter(other => other !== item)));
  }

  private _replaceItems(items: readonly T[]): void {
    this._items = items;
    this._changed.emit();
  }

  private _changed = new Signal<this, void>(this);
  private _items: readonly T[] = [];
}
