import type { IPanelContext } from '../../src/tokens';
import { PanelModel } from '../panel-model';
import type { IConnection, IEntry, ISecret, IWorkspace, IWorkspaceSummary } from './documents';
import { CONNECTIONS, getConnectionPath, getWorkspacePath, SECRETS, WORKSPACES } from './paths';

/** A folder of a connection that is shown. */
export interface IBrowsed {
  connection: string;
  path: string;
  entries: IEntry[];
}

/** The connections and workspaces of a namespace. */
export interface IHomeState {
  connections: IConnection[];
  workspaces: IWorkspaceSummary[];
  browsed: IBrowsed | null;
  /** Loaded by `loadSecrets`. */
  secrets: ISecret[];
}

/** The model of the first page. */
export class HomeModel extends PanelModel<IHomeState> {
  constructor(private _context: Pick<IPanelContext, 'call' | 'signal'>) {
    super({ connections: [], workspaces: [], browsed: null, secrets: [] }, _context.signal);
  }

  /** Loads connections and workspaces. */
  load(): Promise<boolean> {
    return this.run(() => this._load());
  }

  /** Creates or changes a connection. Resolves to why it is refused; empty if it is not. */
  saveConnection({ name, ...members }: IConnection): Promise<string> {
    return this.submit(async () => {
      await this._context.call('PUT', getConnectionPath(name), members);
      await this._load();
    });
  }

  /** Connects, without saving. Resolves to what the server answers, or why it is refused; the other one is empty. */
  async testConnection(members: Omit<IConnection, 'name'>): Promise<{ message: string; refusal: string }> {
    let message = '';
    const refusal = await this.submit(async () => {
      ({ message } = (await this._context.call('POST', `${CONNECTIONS}/test`, members)) as { message: string });
    });
    return { message, refusal };
  }

  /** Loads the names of the secrets. */
  loadSecrets(): Promise<boolean> {
    return this.run(() => this._loadSecrets());
  }

  /** Creates a secret. Resolves to why it is refused; empty if it is not. */
  storeSecret(name: string, value: string): Promise<string> {
    return this.submit(async () => {
      await this._context.call('PUT', `${SECRETS}/${encodeURIComponent(name)}`, { value });
      await this._loadSecrets();
    });
  }

  /** Deletes a connection; workspaces keep their samples. */
  deleteConnection(name: string): Promise<boolean> {
    return this.run(async () => {
      await this._context.call('DELETE', getConnectionPath(name));
      this.setState({ browsed: this.state.browsed?.connection === name ? null : this.state.browsed });
      await this._load();
    });
  }

  /** Shows a folder of a connection. */
  browse(connection: string, path: string): Promise<boolean> {
    return this.run(async () => {
      const query = `?path=${encodeURIComponent(path)}`;
      const answer = await this._context.call('GET', `${getConnectionPath(connection)}/browse${query}`);
      this.setState({ browsed: { connection, path, entries: (answer as IBrowsed).entries } });
    });
  }

  /** Hides the folder. */
  closeFolder(): void {
    this.setState({ browsed: null });
  }

  /** Creates a workspace with a sample of an entry. Resolves to its id; empty if that fails. */
  async createWorkspace(connection: string, { name, path }: Pick<IEntry, 'name' | 'path'>): Promise<string> {
    let id = '';
    await this.run(async () => {
      ({ id } = (await this._context.call('POST', WORKSPACES, { name, connection, path })) as IWorkspace);
    });
    return id;
  }

  /** Changes the name of a workspace. Resolves to why it is refused; empty if it is not. */
  renameWorkspace(id: string, name: string): Promise<string> {
    return this.submit(async () => {
      await this._context.call('PUT', getWorkspacePath(id), { name });
      await this._load();
    });
  }

  /** Deletes a workspace with its sample and recipe. */
  deleteWorkspace(id: string): Promise<boolean> {
    return this.run(async () => {
      await this._context.call('DELETE', getWorkspacePath(id));
      await this._load();
    });
  }

  private async _loadSecrets(): Promise<void> {
    this.setState((await this._context.call('GET', SECRETS)) as Pick<IHomeState, 'secrets'>);
  }

  private async _load(): Promise<void> {
    const [connections, workspaces] = await Promise.all([
      this._context.call('GET', CONNECTIONS) as Promise<Pick<IHomeState, 'connections'>>,
      this._context.call('GET', WORKSPACES) as Promise<Pick<IHomeState, 'workspaces'>>
    ]);
    this.setState({ ...connections, ...workspaces });
  }
}
