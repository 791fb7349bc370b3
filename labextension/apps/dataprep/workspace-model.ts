import type { IPanelContext } from '../../src/tokens';
import { PanelModel } from '../panel-model';
import type { IDirective, IExample, IProfile, IRowPage, ISuggestion, IWorkspace } from './documents';
import { DIRECTIVES, getWorkspacePath } from './paths';
import type { IPublication } from './publication';

/** How many more rows are read at once. */
const LIMIT = 100;

/** A workspace, and what its recipe makes of the sample. */
export interface IWorkspaceState {
  workspace: IWorkspace | null;
  page: IRowPage | null;
  /** By the names of columns. */
  profiles: ReadonlyMap<string, IProfile>;
  directives: IDirective[];
}

/** The pipeline of a workspace, as the schemaspace of pipelines stores it. */
interface IPipeline {
  display_name: string;
  schema_name: string;
  metadata: Record<string, unknown>;
}

/** The model of a workspace. */
export class WorkspaceModel extends PanelModel<IWorkspaceState> {
  constructor(
    private _context: Pick<IPanelContext, 'call' | 'metadata' | 'signal'>,
    readonly id: string
  ) {
    super({ workspace: null, page: null, profiles: new Map(), directives: [] }, _context.signal);
  }

  /** Loads the workspace, its rows and profiles, and the directives of the language. */
  load(): Promise<boolean> {
    return this.run(async () => {
      const [workspace, answer] = await Promise.all([
        this._call('GET', '') as Promise<IWorkspace>,
        this._context.call('GET', DIRECTIVES) as Promise<Pick<IWorkspaceState, 'directives'>>
      ]);
      this.setState({ workspace, directives: answer.directives });
      await this._readResult();
    });
  }

  /** Appends lines to the recipe. Resolves to why they are refused; empty if they are not. */
  append(lines: readonly string[]): Promise<string> {
    return this._changeRecipe('POST', lines);
  }

  /** Replaces the recipe. Resolves to why it is refused; empty if it is not. */
  replace(lines: readonly string[]): Promise<string> {
    return this._changeRecipe('PUT', lines);
  }

  /** Removes one line of the recipe. Resolves to why the rest is refused; empty if it is not. */
  removeLine(at: number): Promise<string> {
    return this.replace((this.state.workspace?.directives ?? []).filter((_, index) => index !== at));
  }

  /** Reverses the last change of the recipe, or repeats it. */
  move(step: 'undo' | 'redo'): Promise<boolean> {
    return this.run(async () => {
      this.setState({ workspace: (await this._call('POST', `/${step}`)) as IWorkspace });
      await this._readResult();
    });
  }

  /** Reads the next rows. */
  loadMore(): Promise<boolean> {
    return this.run(async () => {
      const { page } = this.state;
      if (page !== null && page.nextOffset !== null) {
        const next = (await this._call('GET', `/rows?offset=${page.nextOffset}&limit=${LIMIT}`)) as IRowPage;
        this.setState({ page: { ...next, rows: [...page.rows, ...next.rows] } });
      }
    });
  }

  /** Resolves to directives that fit a column. */
  async suggest(column: string): Promise<ISuggestion[]> {
    let suggestions: ISuggestion[] = [];
    await this.run(async () => {
      const answer = await this._call('GET', `/columns/${encodeURIComponent(column)}/suggestions`);
      ({ suggestions } = answer as { suggestions: ISuggestion[] });
    });
    return suggestions;
  }

  /** Resolves to recipes that make the examples, or to why they are refused. */
  async findByExample(column: string, examples: readonly IExample[]): Promise<string[][] | string> {
    let recipes: string[][] = [];
    const refusal = await this.submit(async () => {
      const answer = await this._call('POST', `/columns/${encodeURIComponent(column)}/examples`, { examples });
      ({ recipes } = answer as { recipes: string[][] });
    });
    return refusal || recipes;
  }

  /** Resolves to the code of a notebook cell; empty if that fails. */
  async readCell(library: string): Promise<string> {
    let source = '';
    await this.run(async () => {
      ({ source } = (await this._call('GET', `/cell?library=${encodeURIComponent(library)}`)) as { source: string });
    });
    return source;
  }

  /** Saves a pipeline, and opens its editor. Resolves to why it is refused; empty if it is not. */
  publish(publication: IPublication): Promise<string> {
    return this.submit(async () => {
      const query = new URLSearchParams({ ...publication }).toString();
      const pipeline = (await this._call('GET', `/pipeline?${query}`)) as IPipeline;
      const { metadata } = this._context;
      const { urn } = await metadata.call('createInstance', { space: 'pipelines' }, { body: pipeline });
      metadata.openInstance(urn);
    });
  }

  private _changeRecipe(method: 'POST' | 'PUT', lines: readonly string[]): Promise<string> {
    return this.submit(async () => {
      const answer = await this._call(method, '/directives', { directives: lines });
      const { page, ...workspace } = answer as IWorkspace & { page: IRowPage };
      this.setState({ workspace, page });
      await this._readProfiles();
    });
  }

  private async _readResult(): Promise<void> {
    this.setState({ page: (await this._call('GET', '/rows')) as IRowPage });
    await this._readProfiles();
  }

  private async _readProfiles(): Promise<void> {
    const { columns } = (await this._call('GET', '/columns')) as { columns: IProfile[] };
    this.setState({ profiles: new Map(columns.map(profile => [profile.name, profile])) });
  }

  private _call(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<unknown> {
    return this._context.call(method, getWorkspacePath(this.id) + path, body);
  }
}
