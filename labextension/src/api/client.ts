import type { ServerConnection } from '@jupyterlab/services';
import type {
  Aspect,
  Changes,
  Entity,
  EntityType,
  FieldsMetadata,
  Keys,
  Lineage,
  LineageImpact,
  Me,
  Run,
  Runs,
  SearchResults,
  TimeseriesValues,
  RunAccesses,
  Versions,
  WriteResult
} from '../generated/api';
import type { ICatalog, ILineageQuestion, ImpactQuestion, IPage, IRunsQuestion, ISearchPage } from '../tokens';
import { address } from './addresses';
import { send } from './requests';

/** The native API over HTTP (docs/api.md). */
export class Catalog implements ICatalog {
  constructor(private _settings: ServerConnection.ISettings) {}

  me(): Promise<Me> {
    return this._get(address(['me']));
  }

  entityType(type: string): Promise<EntityType> {
    return this._get(address(['registry', type]));
  }

  entity(urn: string): Promise<Entity> {
    return this._get(address(['entities', urn]));
  }

  columns(table: string, page: IPage = {}, signal?: AbortSignal): Promise<FieldsMetadata> {
    return this._get(address(['entities', table, 'fields', 'metadata'], { ...page }), signal);
  }

  search(query: string, page: ISearchPage = {}, signal?: AbortSignal): Promise<SearchResults> {
    return this._get(address(['search'], { q: query, ...page }), signal);
  }

  keys(prefix: string, page: IPage = {}, signal?: AbortSignal): Promise<Keys> {
    return this._get(address(['keys'], { prefix, ...page }), signal);
  }

  lineage(question: ILineageQuestion, signal?: AbortSignal): Promise<Lineage> {
    return this._get(address(['lineage'], { ...question }), signal);
  }

  impact(question: ImpactQuestion): Promise<LineageImpact> {
    return this._get(address(['lineage', 'impact'], { ...question }));
  }

  run(urn: string): Promise<Run> {
    return this._get(address(['runs', urn]));
  }

  touched(urn: string): Promise<RunAccesses> {
    return this._get(address(['runs', urn, 'accesses']));
  }

  runs(question: IRunsQuestion, signal?: AbortSignal): Promise<Runs> {
    return this._get(address(['runs'], { ...question }), signal);
  }

  versions(urn: string, aspect: string, page: IPage = {}): Promise<Versions> {
    return this._get(address(['entities', urn, 'aspects', aspect, 'versions'], { ...page }));
  }

  valuesByTime(urn: string, aspect: string, page: Pick<IPage, 'limit'> = {}): Promise<TimeseriesValues> {
    return this._get(address(['entities', urn, 'aspects', aspect, 'values'], { ...page }));
  }

  aspect(urn: string, aspect: string): Promise<Aspect> {
    return this._get(address(['entities', urn, 'aspects', aspect]));
  }

  putAspect(urn: string, aspect: string, value: object, version: number): Promise<WriteResult> {
    const condition: Record<string, string> = version > 0 ? { 'If-Match': `"${version}"` } : { 'If-None-Match': '*' };
    return send(this._settings, address(['entities', urn, 'aspects', aspect]), {
      method: 'PUT',
      body: value,
      headers: condition
    });
  }

  changes(after: number, limit: number): Promise<Changes> {
    return this._get(address(['changes'], { after, limit }));
  }

  private _get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return send<T>(this._settings, path, { signal });
  }
}
