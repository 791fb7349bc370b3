import { URLExt } from '@jupyterlab/coreutils';
import type { ServerConnection } from '@jupyterlab/services';
import type { ITranslator } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';
import { callAppMethod } from '../../api/app-methods';
import type { AppPanels } from '../../generated/api';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import type { CatalogProblem } from '../../model/problem';
import type { IMetadataService, IPanelModule } from '../../tokens';
import type { IPanelName } from './item';
import { ModuleRun } from './module-run';

/** A page of namespaces. */
const LIMIT = 500;
const DEFAULT_NAMESPACE = 'default';
const CONTEXT = '{context}';

/** The state of a tab with the panel of an application. */
export interface IAppPanelState extends ILiveState {
  /** The panel; null until it is loaded, and if it is missing. */
  panel: AppPanels['panels'][number] | null;
  /** Whether no running application has the panel, or the user may not use it. */
  isMissing: boolean;
  /** The namespaces to choose from, for a panel with contexts. */
  namespaces: readonly string[];
  /** The chosen namespace; empty without contexts, or if there is none. */
  namespace: string;
  /** What the module is doing. */
  phase: 'starting' | 'active' | 'import-failed' | 'failed';
  /** Why the module has failed. */
  failure: CatalogProblem | null;
}

/** The services of JupyterLab that a panel uses. */
export interface IAppPanelServices {
  metadata: IMetadataService;
  settings: ServerConnection.ISettings;
  translator: ITranslator;
  /** Imports a module from a URL. */
  importModule(url: string): Promise<Partial<IPanelModule>>;
}

/** The model of a tab with the panel of an application. */
export class AppPanelModel extends LiveModel<IAppPanelState> {
  constructor(
    private _services: IAppPanelServices,
    readonly name: IPanelName
  ) {
    super(null, {
      ...{ panel: null, isMissing: false, namespaces: [], namespace: '', phase: 'starting', failure: null },
      ...{ busy: false, problem: null }
    });
  }

  /** Chooses a namespace: the module is activated again. */
  chooseNamespace(namespace: string): void {
    this.setState({ namespace });
  }

  /** Loads the panel and its module again. */
  async retry(): Promise<void> {
    this._tries += 1;
    this.setState({ panel: null });
    await this.refresh();
  }

  /** Imports the module, and activates it in an element until the result is disposed of. */
  run(parent: HTMLElement): IDisposable {
    const { panel, namespace } = this.state;
    const { metadata, translator, settings, importModule } = this._services;
    const { app } = this.name;
    this.setState({ phase: 'starting', failure: null });
    const url = URLExt.join(settings.baseUrl, panel?.module ?? '') + (this._tries > 0 ? `?${Date.now()}` : '');
    return new ModuleRun(
      () => importModule(url),
      {
        ...{ app, namespace, metadata, translator },
        call: (signal, method, path, body, options = {}) => {
          const filled = path.replaceAll(CONTEXT, encodeURIComponent(namespace));
          return callAppMethod(settings, app, {
            ...options,
            ...{ method, path: filled, body, signal }
          });
        }
      },
      parent,
      outcome => {
        if (outcome === 'active') {
          this.setState({ phase: outcome });
        } else {
          this.setState({ phase: outcome.importFailed ? 'import-failed' : 'failed', failure: outcome.problem });
        }
      }
    );
  }

  /** Loads the panel once: the module stays active while its tab is hidden. */
  protected override async load(signal: AbortSignal): Promise<Partial<IAppPanelState>> {
    if (this.state.panel !== null) {
      return {};
    }
    const { panels } = await this._services.metadata.call('listAppPanels', {}, { signal });
    const panel = panels.find(({ app, id }) => app === this.name.app && id === this.name.id) ?? null;
    if (!panel?.contexts) {
      return { panel, isMissing: panel === null, namespaces: [], namespace: '' };
    }
    const namespaces = await this._listNamespaces(signal);
    const present = [this.state.namespace, DEFAULT_NAMESPACE].find(name => namespaces.includes(name));
    return { panel, isMissing: false, namespaces, namespace: present ?? namespaces[0] ?? '' };
  }

  protected override onChanges(): void {
    // Panels are not in the change log.
  }

  private async _listNamespaces(signal: AbortSignal): Promise<string[]> {
    const names: string[] = [];
    let cursor: string | null | undefined;
    do {
      const query = { type: 'namespace', limit: LIMIT, ...(cursor ? { cursor } : {}) };
      const page = await this._services.metadata.call('listEntities', query, { signal });
      names.push(...page.entities.map(({ name }) => name));
      cursor = page.cursor;
    } while (cursor);
    return names.sort();
  }

  private _tries = 0;
}
