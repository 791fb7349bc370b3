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
import type { IValidationError } from './model/problem';

/** A page of a list: where to continue, and its maximum size. */
export interface IPage {
  cursor?: string;
  limit?: number;
}

/** Search filters by their names on the server: each is an exact match, and all must match. */
export type ISearchFilters = Readonly<Record<string, string>>;

/** A time interval; an omitted side is open. ISO 8601 or `now-1d`. */
export interface IInterval {
  start?: string;
  end?: string;
}

/** An operation of the native API, by its id in the OpenAPI document. */
export type OperationId = keyof IOperations;

/** The options of a call, in addition to its parameters. */
export interface ICallOptions<Id extends OperationId> {
  body?: IOperations[Id]['body'];
  signal?: AbortSignal | undefined;
}

/** The catalog of the server: all operations of its native API. */
export interface ICatalog {
  /** Calls an operation. Rejects with a `CatalogProblem`. */
  call<Id extends OperationId>(
    id: Id,
    parameters: IOperations[Id]['parameters'],
    options?: ICallOptions<Id>
  ): Promise<IOperations[Id]['answer']>;
}

export const ICatalog = new Token<ICatalog>('jupyter-colophon:ICatalog', 'The metadata catalog of this server.');

/** Which instances of a schemaspace to list; by default, all. */
export interface IInstanceQuery extends IPage {
  /** Text to find in names, descriptions and tags. */
  q?: string;
  /** Instances with one of these tags. */
  tags?: readonly string[];
  schema?: string;
  valid?: boolean;
  sort?: InstanceSort;
}

/** The order of a list of instances; by time, newest first. */
export type InstanceSort = 'display_name' | '-display_name' | 'schema_name' | '-time';

/** A plugin for stages of pipelines. */
export type IPlugin = PipelinePlugins['plugins'][number];

/** The schemaspaces of the server and their instances. Every call rejects with a `CatalogProblem`. */
export interface ISchemaspaces {
  listSchemaspaces(): Promise<Schemaspaces>;
  /** Reloads dynamic schemas, of one schemaspace or all. */
  refresh(space?: string): Promise<void>;
  readSchema(space: string, name: string): Promise<Record<string, unknown>>;
  listInstances(space: string, query: IInstanceQuery, signal?: AbortSignal): Promise<Instances>;
  /** `pointer` is a JSON Pointer into `metadata`. */
  listValues(space: string, schema: string, pointer: string): Promise<InstanceValues>;
  readInstance(space: string, name: string): Promise<Instance>;
  /** Lists the plugins for pipeline stages. */
  listPlugins(): Promise<readonly IPlugin[]>;
  /** Returns errors that the schema of an instance does not imply; only available for pipelines. */
  checkInstance(space: string, name: string): Promise<readonly IValidationError[]>;
  createInstance(space: string, document: InstanceEdit): Promise<Instance>;
  /** `version` is the version that was read; null replaces any version. */
  replaceInstance(space: string, name: string, document: InstanceEdit, version: number | null): Promise<Instance>;
  /** `version` is the version that was read; null deletes any version. */
  deleteInstance(space: string, name: string, version: number | null): Promise<InstanceDeleteResult>;
  /** Restores an earlier version, also of a deleted instance. */
  restoreVersion(space: string, name: string, version: number): Promise<Instance>;
  exportInstances(space: string, selection: InstanceExport): Promise<InstanceBundle>;
  importInstances(
    space: string,
    bundle: InstanceBundle,
    options: { dryRun: boolean; overwrite: boolean }
  ): Promise<InstanceImport>;
  /** Lists the recovery files of interrupted saves: instances as they were before. */
  listRecoveryFiles(space: string): Promise<RecoveryFiles>;
  /** Restores the instance of a recovery file. */
  restoreRecoveryFile(space: string, file: string): Promise<Instance>;
  /** Deletes a recovery file; resolves to the remaining ones. */
  discardRecoveryFile(space: string, file: string): Promise<RecoveryFiles>;
}

export const ISchemaspaces = new Token<ISchemaspaces>(
  'jupyter-colophon:ISchemaspaces',
  'The schemaspaces of this server and their instances.'
);

/** The services of JupyterLab that forms use, if available. */
export interface IFormTools {
  editors: IEditorServices | null;
  /** Fields and widgets that schemas can choose by their ids (`ui:field`, `ui:widget`). */
  renderers: IFormRendererRegistry | null;
}

export const IFormTools = new Token<IFormTools>(
  'jupyter-colophon:IFormTools',
  'The editors and renderers of the forms for aspects and instances.'
);

/** The live changes of the catalog. */
export interface IChangeFeed {
  /** Changes in the order of their commits. */
  readonly changed: ISignal<IChangeFeed, readonly Change[]>;
  /** Changes may have been missed: displayed data must be loaded again. */
  readonly missed: ISignal<IChangeFeed, void>;
  /** Keeps the feed connected until the result is disposed. */
  keepOpen(): IDisposable;
}

export const IChangeFeed = new Token<IChangeFeed>('jupyter-colophon:IChangeFeed', 'Live changes of the catalog.');

/** The entities that the user has starred. */
export interface IStarredEntities {
  readonly changed: ISignal<IStarredEntities, void>;
  /** The URNs, the latest star first. */
  readonly state: readonly string[];
  has(urn: string): boolean;
  /** Adds or removes a star. Rejects if the settings cannot be saved. */
  toggle(urn: string): Promise<void>;
}

export const IStarredEntities = new Token<IStarredEntities>(
  'jupyter-colophon:IStarredEntities',
  'The entities that the user has starred.'
);
