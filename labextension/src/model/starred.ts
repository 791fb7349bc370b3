import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { ISignal } from '@lumino/signaling';
import { Signal } from '@lumino/signaling';
import type { IStarredEntities } from '../tokens';

/** The setting with the URNs. */
const SETTING = 'starred';

/** More are not useful in a list that is read as a whole. */
const MAX_STARRED = 200;

type Settings = Pick<ISettingRegistry.ISettings, 'get' | 'set' | 'changed'>;

function readUrns(settings: Settings): readonly string[] {
  const value = settings.get(SETTING).composite;
  return Array.isArray(value) ? value.filter(urn => typeof urn === 'string') : [];
}

/** Starred entities, kept in the settings of the user, so that they are the same in every workspace. */
export class StarredEntities implements IStarredEntities {
  /** @param loading - The settings, which JupyterLab loads asynchronously. */
  constructor(loading: Promise<Settings>) {
    this._loading = loading.then(settings => {
      const update = (): void => this._update(readUrns(settings));
      settings.changed.connect(update);
      update();
      return settings;
    });
    // Without settings nothing is starred; setting a star reports the failure.
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
    const urns = this.has(urn) ? others : [urn, ...others].slice(0, MAX_STARRED);
    // Shown at once: a second click must not start from the previous list.
    this._update(urns);
    await settings.set(SETTING, [...urns]);
  }

  private _update(urns: readonly string[]): void {
    this._urns = urns;
    this._changed.emit();
  }

  private _loading: Promise<Settings>;
  private _urns: readonly string[] = [];
  private _changed = new Signal<this, void>(this);
}
