import type { ServerConnection } from '@jupyterlab/services';
import type {
  Instance,
  InstanceBundle,
  InstanceEdit,
  InstanceExport,
  InstanceImport,
  InstanceDeleteResult,
  Instances,
  InstanceValues,
  RecoveryFiles,
  Schemaspaces as Spaces
} from '../generated/api';
import type { IOperations } from '../generated/operations';
import type { IFault } from '../model/problem';
import type { ICallOptions, IInstanceQuestion, IPlugin, ISchemaspaces, OperationId } from '../tokens';
import { call } from './call';

/** What must still be true of an instance when a request is done; nothing for null. */
function condition(version: number | null): { 'If-Match'?: string } {
  return version === null ? {} : { 'If-Match': `"${version}"` };
}

/** The schemaspace whose instances the server can check beyond their schema. */
const PIPELINES = 'pipelines';

/** Schemaspaces and their instances over HTTP (`docs/api.md`). */
export class Schemaspaces implements ISchemaspaces {
  constructor(private _settings: ServerConnection.ISettings) {}

  all(): Promise<Spaces> {
    return this._call('listSchemaspaces', {});
  }

  async refresh(space?: string): Promise<void> {
    await this._call('refreshSchemaspaces', { space });
  }

  schema(space: string, schema: string): Promise<Record<string, unknown>> {
    return this._call('readSchema', { space, schema });
  }

  instances(space: string, question: IInstanceQuestion, signal?: AbortSignal): Promise<Instances> {
    const { tags = [], valid, ...rest } = question;
    // A tag may hold any character, so several are a JSON list.
    const tag = tags.length === 0 ? undefined : JSON.stringify(tags);
    const state = valid === undefined ? undefined : valid ? 'true' : 'false';
    return this._call('listInstances', { space, ...rest, valid: state, tag }, { signal });
  }

  values(space: string, schema: string, pointer: string): Promise<InstanceValues> {
    return this._call('listInstanceValues', { space, schema, pointer });
  }

  instance(space: string, instance: string): Promise<Instance> {
    return this._call('readInstance', { space, instance });
  }

  async findings(space: string, name: string): Promise<readonly IFault[]> {
    if (space !== PIPELINES) {
      return [];
    }
    const { problems } = await this._call('checkPipeline', {}, { body: { name } });
    return problems;
  }

  async plugins(): Promise<readonly IPlugin[]> {
    const { plugins } = await this._call('listPipelinePlugins', {});
    return plugins;
  }

  create(space: string, document: InstanceEdit): Promise<Instance> {
    return this._call('createInstance', { space }, { body: document });
  }

  replace(space: string, instance: string, document: InstanceEdit, version: number | null): Promise<Instance> {
    return this._call('writeInstance', { space, instance, ...condition(version) }, { body: document });
  }

  remove(space: string, instance: string, version: number | null): Promise<InstanceDeleteResult> {
    return this._call('deleteInstance', { space, instance, ...condition(version) });
  }

  restore(space: string, instance: string, version: number): Promise<Instance> {
    return this._call('restoreInstance', { space, instance }, { body: { version } });
  }

  exported(space: string, wanted: InstanceExport): Promise<InstanceBundle> {
    return this._call('exportInstances', { space }, { body: wanted });
  }

  imported(
    space: string,
    bundle: InstanceBundle,
    how: { dryRun: boolean; overwrite: boolean }
  ): Promise<InstanceImport> {
    return this._call('importInstances', { space, ...how }, { body: bundle });
  }

  leftovers(space: string): Promise<RecoveryFiles> {
    return this._call('listRecoveryFiles', { space });
  }

  recover(space: string, file: string): Promise<Instance> {
    return this._call('restoreRecoveryFile', { space }, { body: { file } });
  }

  discard(space: string, file: string): Promise<RecoveryFiles> {
    return this._call('discardRecoveryFile', { space }, { body: { file } });
  }

  private _call<Id extends OperationId>(
    id: Id,
    parameters: IOperations[Id]['parameters'],
    options: ICallOptions<Id> = {}
  ): Promise<IOperations[Id]['answer']> {
    return call(this._settings, id, parameters, options);
  }
}
