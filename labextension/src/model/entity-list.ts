import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { IEntityList } from '../tokens';

/** More are not useful in a list that is read as a whole. */
const MAX_ENTITIES = 200;

type Settings = Pick<ISettingRegistry.ISettings, 'get' | 'set' | 'changed'>;

function readUrns(settings: Settings, name: string): readonly string[] {
  const value = settings.get(name).composite;
  return Array.isArray(value) ? value.filter(urn => typeof urn === 'string') : [];
}

/** Entities that the user has chosen, kept in a setting, so that they are the same in every workspace. */
export class EntityList implements IEntityList {
  /**
   * @param loading - The settings, which JupyterLab loads asynchronously.
   * @param _setting - The name of the setting with the URNs.
   */
  constructor(
    loading: Promise<Settings>,
    private _setting: string
  ) {
    this._loading = loading.then(settings => {
      const update = (): void => this._update(readUrns(settings, _setting));
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

  get state(): readonly string[] {
    return this._urns;
  }

  has(urn: string): boolean {
    return this._urns.includes(urn);
  }

  async toggle(urn: string): Promise<void> {
    const settings = await this._loading;
    const others = this._urns.filter(other => other !== urn);
    const urns = this.has(urn) ? others : [urn, ...others].slice(0, MAX_ENTITIES);
    // Updated at once: a second click must not start from the previous list.
    this._update(urns);
    await settings.set(this._setting, [...urns]);
  }

  private _update(urns: readonly string[]): void {
    this._urns = urns;
    this._changed.emit();
  }

  private _loading: Promise<Settings>;
  private _urns: readonly string[] = [];
  private _changed = new Signal<this, void>(this);
}
