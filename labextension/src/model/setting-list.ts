import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { JSONValue } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';

/** The part of JupyterLab's settings that a list uses. */
export type ListSettings = Pick<ISettingRegistry.ISettings, 'get' | 'set' | 'changed'>;

/** What the items of a list are. */
export interface IItemKind<T> {
  /** Reads an item from the settings; null if it is not valid. */
  parse(item: unknown): T | null;
  /** Returns what distinguishes an item from others. */
  getId(item: T): string;
  /** The maximum number of items; the oldest are dropped. */
  max: number;
}

/** What the user has chosen, kept in a setting, so that it is the same in every workspace. */
export class SettingList<T> {
  /**
   * @param loading - The settings, which JupyterLab loads asynchronously.
   * @param _setting - The name of the setting with the items.
   */
  constructor(
    loading: Promise<ListSettings>,
    private _setting: string,
    private _kind: IItemKind<T>
  ) {
    this._loading = loading.then(settings => {
      const update = (): void => this._update(this._read(settings));
      settings.changed.connect(update);
      update();
      return settings;
    });
    // Without settings the list is empty; changing it reports the failure.
    this._loading.catch(() => undefined);
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The items, the latest first. */
  get state(): readonly T[] {
    return this._items;
  }

  has(item: T): boolean {
    const id = this._kind.getId(item);
    return this._items.some(other => this._kind.getId(other) === id);
  }

  /** Adds or removes an item. Rejects if the settings cannot be saved. */
  async toggle(item: T): Promise<void> {
    const settings = await this._loading;
    const id = this._kind.getId(item);
    const others = this._items.filter(other => this._kind.getId(other) !== id);
    const items = this.has(item) ? others : [item, ...others].slice(0, this._kind.max);
    // Updated at once: a second click must not start from the previous list.
    this._update(items);
    await settings.set(this._setting, [...items] as JSONValue);
  }

  private _read(settings: ListSettings): T[] {
    const value: unknown = settings.get(this._setting).composite;
    return (Array.isArray(value) ? value : []).map(item => this._kind.parse(item)).filter(item => item !== null);
  }

  private _update(items: readonly T[]): void {
    this._items = items;
    this._changed.emit();
  }

  private _loading: Promise<ListSettings>;
  private _items: readonly T[] = [];
  private _changed = new Signal<this, void>(this);
}
