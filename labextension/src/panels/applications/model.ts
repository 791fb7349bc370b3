import type { AppPanels, SystemApp } from '../../generated/api';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import { toProblem } from '../../model/problem';
import type { ICatalog } from '../../tokens';

/** Who may administer this namespace may list applications. */
const SYSTEM = 'urn:li:namespace:system';

/** A panel of an application. */
export type AppPanel = AppPanels['panels'][number];

/** The state of the page of applications. */
export interface IApplicationsState extends ILiveState {
  /** Null until they are loaded. */
  panels: readonly AppPanel[] | null;
  /** The installed applications; null for users without `admin`. */
  apps: readonly SystemApp[] | null;
  /** The name of the application that is being enabled or disabled; empty if none is. */
  changing: string;
}

/** The model of the page of applications. */
export class ApplicationsModel extends LiveModel<IApplicationsState> {
  constructor(private _catalog: ICatalog) {
    super(null, { panels: null, apps: null, changing: '', busy: false, problem: null });
  }

  /** Enables or disables an application. */
  async setEnabled(app: string, isEnabled: boolean): Promise<void> {
    this.setState({ changing: app });
    try {
      await this._catalog.call(isEnabled ? 'enableSystemApp' : 'disableSystemApp', { app });
      this.setState({ changing: '' });
      await this.refresh();
    } catch (reason) {
      this.setState({ changing: '', problem: toProblem(reason) });
    }
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IApplicationsState>> {
    const [{ panels }, apps] = await Promise.all([
      this._catalog.call('listAppPanels', {}, { signal }),
      this._loadApps(signal)
    ]);
    return { panels, apps };
  }

  protected override onChanges(): void {
    // Applications are not in the change log.
  }

  /** Asks first, since a refused request is an entry of the audit. */
  private async _loadApps(signal: AbortSignal): Promise<readonly SystemApp[] | null> {
    try {
      const { allowed } = await this._catalog.call('readAccess', { urn: SYSTEM, permission: 'admin' }, { signal });
      return allowed ? (await this._catalog.call('listSystemApps', {}, { signal })).systemApps : null;
    } catch (reason) {
      const { kind } = toProblem(reason);
      if (kind === 'denied' || kind === 'not-found') {
        return null;
      }
      throw reason;
    }
  }
}
