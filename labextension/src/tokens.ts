import type { IEditorServices } from '@jupyterlab/codeeditor';
import type { ITranslator } from '@jupyterlab/translation';
import type { IFormRendererRegistry } from '@jupyterlab/ui-components';
import { Token } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import type { ComponentType } from 'react';
import type {
  Change,
  Entity,
  Instance,
  InstanceBundle,
  InstanceEdit,
  InstanceExport,
  InstanceImport,
  InstanceDeleteResult,
  Instances,
  InstanceValues,
  RecoveryFiles,
  LineageNode,
  PipelinePlugins,
  Schemaspaces
} from './generated/api';
import type { IOperations } from './generated/operations';
import type { ICellPlace } from './model/notebooks/cell-place';
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

/** All operations of the server's native API. */
export interface ICatalog {
  /** Calls an operation. Rejects with a `CatalogProblem`. */
  call<Id extends OperationId>(
    id: Id,
    parameters: IOperations[Id]['parameters'],
    options?: ICallOptions<Id>
  ): Promise<IOperations[Id]['answer']>;
}

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
  /** Lists the plugins for pipeline stages, with those of the artifacts of a namespace unless it is empty. */
  listPlugins(namespace: string): Promise<readonly IPlugin[]>;
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

/**
 * Whether changes are received.
 *
 * `idle`: nothing keeps the feed open, or it has not been connected yet. `paused`: disabled in the settings. `away`:
 * the server cannot be reached; the feed is connected again when it can.
 */
export type FeedStatus = 'idle' | 'live' | 'paused' | 'away';

/** The live changes of the catalog. */
export interface IChangeFeed {
  readonly status: FeedStatus;
  readonly statusChanged: ISignal<IChangeFeed, FeedStatus>;
  /** Changes in the order of their commits. */
  readonly changed: ISignal<IChangeFeed, readonly Change[]>;
  /** Changes may have been missed: displayed data must be loaded again. */
  readonly missed: ISignal<IChangeFeed, void>;
  /** Keeps the feed connected until the result is disposed. */
  keepOpen(): IDisposable;
}

/** The metadata of this server: the operations of its API, its live changes, and its pages. */
export interface IMetadataService extends ICatalog {
  readonly feed: IChangeFeed;
  /** Opens the page of an entity, or of a run. */
  openEntity(urn: string): void;
  /** Shows the page of an entity or a run in a tab that the next preview replaces; the focus stays. */
  previewEntity(urn: string): void;
  /** Opens the lineage graph of an entity; `view` is the text of a copied view. */
  openLineage(urn: string, view?: string): void;
  /** Opens the editor of an instance of a schemaspace. */
  openInstance(urn: string): void;
  /** Opens a notebook at a cell. */
  openCell(place: ICellPlace): void;
}

export const IMetadataService = new Token<IMetadataService>(
  'jupyter-colophon:IMetadataService',
  'The metadata of this server: operations of its API, live changes, and pages.'
);

/** An item of a registry. */
export interface IRegistryItem {
  /** Unique in its registry; by convention, the id of the plugin, a colon and a name. */
  readonly id: string;
  /** The position: lower ranks come first. */
  readonly rank: number;
}

/** Parts of the user interface that extensions add. */
export interface IRegistry<T extends IRegistryItem> {
  /** The items by their rank, then in the order in which they were added. */
  readonly items: readonly T[];
  /** Emitted when an item was added or removed. */
  readonly changed: ISignal<IRegistry<T>, void>;
  /** Adds an item until the result is disposed. Throws an error if there is an item with its id. */
  add(item: T): IDisposable;
}

/** What a section of the search panel knows. */
export interface ISearchSectionProps {
  /** Replaces the text of the search, and searches. */
  search(query: string): void;
  metadata: IMetadataService;
}

/** A section that the search panel shows before a search. Our own have the ranks 100 to 600. */
export interface ISearchSection extends IRegistryItem {
  readonly title: string;
  /** Renders the content below the title. It may be loaded on demand (`React.lazy`). */
  readonly component: ComponentType<ISearchSectionProps>;
}

/** The sections of the search panel. */
export type ISearchSectionRegistry = IRegistry<ISearchSection>;

export const ISearchSectionRegistry = new Token<ISearchSectionRegistry>(
  'jupyter-colophon:ISearchSectionRegistry',
  'The sections of the search panel.'
);

/** What a tab of the page of an entity knows. */
export interface IEntityTabProps {
  /** The entity with its aspects; a new object after each change. */
  entity: Entity;
  metadata: IMetadataService;
}

/** A tab of the pages of entities. */
export interface IEntityTab extends IRegistryItem {
  readonly title: string;
  /** Whether an entity has the tab; by default, every entity. */
  isVisible?(entity: Entity): boolean;
  /** Returns the number after the title; undefined for none. */
  getCount?(entity: Entity): number | undefined;
  /** Renders the tab. It may be loaded on demand (`React.lazy`). */
  readonly component: ComponentType<IEntityTabProps>;
}

/** The tabs of the pages of entities. */
export type IEntityTabRegistry = IRegistry<IEntityTab>;

export const IEntityTabRegistry = new Token<IEntityTabRegistry>(
  'jupyter-colophon:IEntityTabRegistry',
  'The tabs of the pages of entities.'
);

/** A node of a lineage graph. */
export type ILineageNode = LineageNode;

/** How a node of a lineage graph is marked. */
export interface INodeDecoration {
  /** A CSS colour; use a variable of JupyterLab's themes, such as `var(--jp-warn-color1)`. */
  color?: string;
  /** A short text on the node. */
  badge?: string;
  /** The explanation of the mark. */
  title?: string;
}

/** Marks nodes of lineage graphs; the user chooses by its label whether it is applied. */
export interface ILineageDecoration extends IRegistryItem {
  readonly label: string;
  /** Returns the mark of a node; null for none. */
  decorate(node: ILineageNode): INodeDecoration | null;
}

/** The marks of nodes in lineage graphs. */
export type ILineageDecorator = IRegistry<ILineageDecoration>;

export const ILineageDecorator = new Token<ILineageDecorator>(
  'jupyter-colophon:ILineageDecorator',
  'The marks of nodes in lineage graphs.'
);

/** Entities that the user has chosen. */
export interface IEntityList {
  readonly changed: ISignal<IEntityList, void>;
  /** The URNs, the latest first. */
  readonly state: readonly string[];
  has(urn: string): boolean;
  /** Adds or removes an entity. Rejects if the settings cannot be saved. */
  toggle(urn: string): Promise<void>;
}

/** The entities that the user has starred. */
export type IStarredEntities = IEntityList;

export const IStarredEntities = new Token<IStarredEntities>(
  'jupyter-colophon:IStarredEntities',
  'The entities that the user has starred.'
);

/** The entities that the user follows: their changes by others are notified. */
export type IFollowedEntities = IEntityList;

export const IFollowedEntities = new Token<IFollowedEntities>(
  'jupyter-colophon:IFollowedEntities',
  'The entities that the user follows.'
);

/** A query with filters. */
export interface ISearch {
  query: string;
  filters: ISearchFilters;
}

/** The searches that the user follows: their new hits are notified. */
export interface IFollowedSearches {
  readonly changed: ISignal<IFollowedSearches, void>;
  /** The searches, the latest first. */
  readonly state: readonly ISearch[];
  has(search: ISearch): boolean;
  /** Follows a search, or stops following it. Rejects if the settings cannot be saved. */
  toggle(search: ISearch): Promise<void>;
}

export const IFollowedSearches = new Token<IFollowedSearches>(
  'jupyter-colophon:IFollowedSearches',
  'The searches that the user follows.'
);

/** A call of a method of a system application. */
export interface IAppMethod {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path as the handler declares it, with encoded values and a query; `{context}` is the chosen namespace. */
  path: string;
  /** A JSON document. */
  body?: unknown;
  /** The service of the handler; by default `service`. */
  service?: string;
  /** The kind of the service; by default `service`. */
  kind?: 'service' | 'spark';
}

/** The colour theme of JupyterLab. */
export interface IPanelTheme {
  readonly isLight: boolean;
  /** Emitted when the user has chosen another theme. */
  readonly changed: ISignal<IPanelTheme, void>;
}

/** What the module of a panel of a system application is given when its tab is shown. */
export interface IPanelContext {
  /** The empty element that the module fills. */
  readonly element: HTMLElement;
  /** The name of the application. */
  readonly app: string;
  /** The namespace that the user has chosen; empty for a panel without contexts. */
  readonly namespace: string;
  /** Calls a handler of the application. Rejects with an error with a `message` for users and the `status`. */
  call(
    method: IAppMethod['method'],
    path: string,
    body?: unknown,
    options?: Pick<IAppMethod, 'service' | 'kind'>
  ): Promise<unknown>;
  /** The catalog: operations of its API, live changes, and pages. */
  readonly metadata: IMetadataService;
  /** Aborted when the tab is closed or another namespace is chosen; calls end then. */
  readonly signal: AbortSignal;
  readonly translator: ITranslator;
  readonly theme: IPanelTheme;
}

/** What a module may return: called or disposed of when the tab is closed, or another namespace is chosen. */
export type PanelCleanup = (() => void) | { dispose(): void } | null | undefined | void;

/** The web module of a panel of a system application. */
export interface IPanelModule {
  /** Fills the element. What it throws, or rejects with, is shown in the tab. */
  activate(context: IPanelContext): PanelCleanup | Promise<PanelCleanup>;
}
