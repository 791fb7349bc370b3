import type { IEditorServices } from '@jupyterlab/codeeditor';
import type { IFormRendererRegistry } from '@jupyterlab/ui-components';
import { Token } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import type {
  Change,
  Instance,
  InstanceBundle,
  InstanceEdit,
  InstanceExport,
  InstanceImport,
  InstanceDeleteResult,
  Instances,
  InstanceValues,
  RecoveryFiles,
  PipelinePlugins,
  Schemaspaces
} from './generated/api';
import type { IOperations } from './generated/operations';
import type { IFault } from './model/problem';

/** A page of something: where to go on, and how much of it. */
export interface IPage {
  cursor?: string;
  limit?: number;
}

/** To what a search is narrowed down, by the names of the server's filters: each is exact, and all must hold. */
export type ISearchFilters = Readonly<Record<string, string>>;

/** An interval of time; open where a side is left out. ISO 8601 or `now-1d`. */
export interface IInterval {
  start?: string;
  end?: string;
}

/** An operation of the native API, by its id in the OpenAPI document. */
export type OperationId = keyof IOperations;

/** What is sent with a call besides its parameters. */
export interface ICallOptions<Id extends OperationId> {
  body?: IOperations[Id]['body'];
  signal?: AbortSignal | undefined;
}

/** The catalog of the server: every operation of its native API. */
export interface ICatalog {
  /** Calls an operation. Rejects with a `CatalogProblem`. */
  call<Id extends OperationId>(
    id: Id,
    parameters: IOperations[Id]['parameters'],
    options?: ICallOptions<Id>
  ): Promise<IOperations[Id]['answer']>;
}

export const ICatalog = new Token<ICatalog>('jupyter-colophon:ICatalog', 'The metadata catalog of this server.');

/** Which instances of a schemaspace are wanted; everything where nothing is said. */
export interface IInstanceQuestion extends IPage {
  /** Text to be found in what an instance says of itself. */
  q?: string;
  /** Instances with one of these tags. */
  tags?: readonly string[];
  schema?: string;
  valid?: boolean;
  sort?: InstanceSort;
}

/** In which order instances are listed; the time of the last change is descending. */
export type InstanceSort = 'display_name' | '-display_name' | 'schema_name' | '-time';

/** A plugin for stages of pipelines. */
export type IPlugin = PipelinePlugins['plugins'][number];

/** The schemaspaces of the server and their instances. Every call rejects with a `CatalogProblem`. */
export interface ISchemaspaces {
  all(): Promise<Schemaspaces>;
  /** Loads the schemas that are made anew each time, of one schemaspace or all. */
  refresh(space?: string): Promise<void>;
  schema(space: string, name: string): Promise<Record<string, unknown>>;
  instances(space: string, question: IInstanceQuestion, signal?: AbortSignal): Promise<Instances>;
  /** `pointer` is a JSON Pointer into `metadata`. */
  values(space: string, schema: string, pointer: string): Promise<InstanceValues>;
  instance(space: string, name: string): Promise<Instance>;
  /** What stages of pipelines can do. */
  plugins(): Promise<readonly IPlugin[]>;
  /** What is wrong with an instance that satisfies its schema, where the server can tell: with a pipeline. */
  findings(space: string, name: string): Promise<readonly IFault[]>;
  create(space: string, document: InstanceEdit): Promise<Instance>;
  /** `version` is what the writer read; null to replace whatever is there. */
  replace(space: string, name: string, document: InstanceEdit, version: number | null): Promise<Instance>;
  /** `version` is what the remover saw; null to remove whatever is there. */
  remove(space: string, name: string, version: number | null): Promise<InstanceDeleteResult>;
  /** Makes an earlier version the present one, a removed instance too. */
  restore(space: string, name: string, version: number): Promise<Instance>;
  exported(space: string, wanted: InstanceExport): Promise<InstanceBundle>;
  imported(
    space: string,
    bundle: InstanceBundle,
    how: { dryRun: boolean; overwrite: boolean }
  ): Promise<InstanceImport>;
  /** What killed saves left behind: instances as they were before. */
  leftovers(space: string): Promise<RecoveryFiles>;
  /** Lets a leftover be its instance again. */
  recover(space: string, file: string): Promise<Instance>;
  /** Throws a leftover away; answers those that stay. */
  discard(space: string, file: string): Promise<RecoveryFiles>;
}

export const ISchemaspaces = new Token<ISchemaspaces>(
  'jupyter-colophon:ISchemaspaces',
  'The schemaspaces of this server and their instances.'
);

/** What forms take from JupyterLab, if it is there. */
export interface IFormTools {
  editors: IEditorServices | null;
  /** Fields and widgets that schemas can choose by their ids (`ui:field`, `ui:widget`). */
  renderers: IFormRendererRegistry | null;
}

export const IFormTools = new Token<IFormTools>(
  'jupyter-colophon:IFormTools',
  'The editors and renderers of the forms for aspects and instances.'
);

/** What happens in the catalog, as it happens. */
export interface IChangeFeed {
  /** Changes in the order in which they were committed. */
  readonly changed: ISignal<IChangeFeed, readonly Change[]>;
  /** Changes may have been missed: whoever shows data must ask again. */
  readonly missed: ISignal<IChangeFeed, void>;
  /** Keeps the connection up for as long as somebody holds it. */
  hold(): IDisposable;
}

export const IChangeFeed = new Token<IChangeFeed>('jupyter-colophon:IChangeFeed', 'Live changes of the catalog.');
