import type { AppPanels, SystemApp, SystemAppLogRecord } from '../../generated/api';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import { toProblem } from '../../model/problem';
import type { ICatalog } from '../../tokens';

/** Who may administer this namespace may list applications. */
const SYSTEM = 'urn:li:namespace:system';

/** How many log records are shown. */
const LOG_LIMIT = 100;

/** A panel of an application. */
export type AppPanel = AppPanels['panels'][number];

/** The newest log records of an application, newest first. */
export interface IAppLog {
  app: string;
  records: readonly SystemAppLogRecord[];
}

/** The state of the page of applications. */
export interface IApplicationsState extends ILiveState {
  /** Null until they are loaded. */
  panels: readonly AppPanel[] | null;
  /** The installed applications; null for users without `admin`. */
  apps: readonly SystemApp[] | null;
  /** The log that the user opened; null without one. */
  log: IAppLog | null;
}

/** The model of the page of applications. */
export class ApplicationsModel extends LiveModel<IApplicationsState> {
  constructor(private _catalog: ICatalog) {
    super(null, { panels: null, apps: null, log: null, busy: false, problem: null });
  }

  /** Enables or disables an application. */
  setEnabled(app: string, isEnabled: boolean): Promise<void> {
    return this._change(() => this._catalog.call(isEnabled ? 'enableSystemApp' : 'disableSystemApp', { app }));
  }

  /** Shows the log of an application; null closes it. */
  async showLog(app: string | null): Promise<void> {
    this._logOf = app;
    if (app === null) {
      this.setState({ log: null });
    } else {
      await this.refresh();
    }
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IApplicationsState>> {
    const [{ panels }, apps] = await Promise.all([
      this._catalog.call('listAppPanels', {}, { signal }),
      this._loadApps(signal)
    ]);
    return { panels, apps, log: await this._loadLog(signal) };
  }

  protected override onChanges(): void {
    // Applications are not in the change log.
  }

  private async _change(request: () => Promise<unknown>): Promise<void> {
    if (this._isChanging) {
      return;
    }
    this._isChanging = true;
    try {
      await request();
      await this.refresh();
    } catch (reason) {
      this.setState({ problem: toProblem(reason) });
    } finally {
      this._isChanging = false;
    }
  }

  private async _loadLog(signal: AbortSignal): Promise<IAppLog | null> {
    const app = this._logOf;
    if (app === null) {
      return null;
    }
    const { records } = await this._catalog.call('listSystemAppLogs', { app, limit: LOG_LIMIT }, { signal });
    return { app, records: [...records].reverse() };
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

  /** The application whose log is open. */
  private _logOf: string | null = null;
  /** Whether an application is being changed: a second click does nothing. */
  private _isChanging = false;
}
