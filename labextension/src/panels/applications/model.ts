import type { AppPanels, SystemApp, SystemAppEvent, SystemAppLogRecord } from '../../generated/api';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import type { CatalogProblem } from '../../model/problem';
import { toProblem } from '../../model/problem';
import type { ICatalog, IChangeFeed } from '../../tokens';
import { ArtifactsModel } from './artifacts/model';

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

/** Why the instances of a service could not be set. */
interface IInstancesProblem {
  app: string;
  service: string;
  problem: CatalogProblem;
}

/** The state of the page of applications. */
export interface IApplicationsState extends ILiveState {
  /** Null until they are loaded. */
  panels: readonly AppPanel[] | null;
  /** The installed applications; null for users without `admin`. */
  apps: readonly SystemApp[] | null;
  /** The log that the user opened; null without one. */
  log: IAppLog | null;
  /** The events that listeners of applications with warnings have not handled. */
  events: readonly SystemAppEvent[];
  /** Why the last change of instances failed; null if it succeeded. */
  instancesProblem: IInstancesProblem | null;
}

/** The model of the page of applications. */
export class ApplicationsModel extends LiveModel<IApplicationsState> {
  /**
   * @param _artifactFeed - The change feed for the artifacts, if available: applications are not in the change log.
   */
  constructor(
    private _catalog: ICatalog,
    private _artifactFeed: IChangeFeed | null = null
  ) {
    super(null, {
      panels: null,
      apps: null,
      events: [],
      log: null,
      instancesProblem: null,
      busy: false,
      problem: null
    });
  }

  /** Creates the model of the tab of artifacts. */
  createArtifacts(): ArtifactsModel {
    return new ArtifactsModel(this._catalog, this._artifactFeed);
  }

  /** Enables or disables an application. */
  setEnabled(app: string, isEnabled: boolean): Promise<void> {
    return this._change(() => this._catalog.call(isEnabled ? 'enableSystemApp' : 'disableSystemApp', { app }));
  }

  /** Deletes what a disabled or uninstalled application has stored. */
  dropTables(app: string): Promise<void> {
    return this._change(() => this._catalog.call('dropSystemAppTables', { app }));
  }

  /** Runs a service in a number of worker processes. */
  setInstances(app: string, service: string, instances: number): Promise<void> {
    this.setState({ instancesProblem: null });
    return this._change(
      () => this._catalog.call('setSystemAppInstances', { app, service }, { body: { instances } }),
      problem => this.setState({ instancesProblem: { app, service, problem } })
    );
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

  /** Lets a listener handle an event once more. */
  retry({ app, listener, number }: SystemAppEvent): Promise<void> {
    return this._change(() => this._catalog.call('retrySystemAppEvent', { app, listener, number: String(number) }));
  }

  /** Drops an event: its listener continues with later events of the entity. */
  drop({ app, listener, number }: SystemAppEvent): Promise<void> {
    return this._change(() => this._catalog.call('dropSystemAppEvent', { app, listener, number: String(number) }));
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IApplicationsState>> {
    const [{ panels }, apps] = await Promise.all([
      this._catalog.call('listAppPanels', {}, { signal }),
      this._loadApps(signal)
    ]);
    const [events, log] = await Promise.all([this._loadEvents(apps ?? [], signal), this._loadLog(signal)]);
    return { panels, apps, events, log };
  }

  protected override onChanges(): void {
    // Applications are not in the change log.
  }

  private async _change(
    request: () => Promise<unknown>,
    showProblem = (problem: CatalogProblem): void => this.setState({ problem })
  ): Promise<void> {
    if (this._isChanging) {
      return;
    }
    this._isChanging = true;
    try {
      await request();
      await this.refresh();
    } catch (reason) {
      showProblem(toProblem(reason));
    } finally {
      this._isChanging = false;
    }
  }

  private async _loadEvents(apps: readonly SystemApp[], signal: AbortSignal): Promise<SystemAppEvent[]> {
    const concerned = apps.filter(({ state, warnings }) => state !== 'uninstalled' && warnings.length > 0);
    const lists = await Promise.all(
      concerned.map(({ name: app }) => this._catalog.call('listSystemAppEvents', { app }, { signal }))
    );
    return lists.flatMap(({ events }) => events);
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
  /** Whether an application or an event is being changed: a second click does nothing. */
  private _isChanging = false;
}
