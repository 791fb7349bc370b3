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
import type { IValidationError } from '../model/problem';
import type { ICallOptions, IInstanceQuery, IPlugin, ISchemaspaces, OperationId } from '../tokens';
import { call } from './call';

/** Returns the precondition of a write; none for null. */
function ifMatch(version: number | null): { 'If-Match'?: string } {
  return version === null ? {} : { 'If-Match': `"${version}"` };
}

/** The schemaspace whose instances the server can check in addition to their schema. */
const PIPELINES = 'pipelines';

/** Schemaspaces and their instances over HTTP (`docs/api.md`). */
export class Schemaspaces implements ISchemaspaces {
  constructor(private _settings: ServerConnection.ISettings) {}

  listSchemaspaces(): Promise<Spaces> {
    return this._call('listSchemaspaces', {});
  }

  async refresh(space?: string): Promise<void> {
    await this._call('refreshSchemaspaces', { space });
  }

  readSchema(space: string, schema: string): Promise<Record<string, unknown>> {
    return this._call('readSchema', { space, schema });
  }

  listInstances(space: string, question: IInstanceQuery, signal?: AbortSignal): Promise<Instances> {
    const { tags = [], valid, ...others } = question;
    // A tag may contain any character, so several tags are sent as a JSON list.
    const tag = tags.length === 0 ? undefined : JSON.stringify(tags);
    const validity = valid === undefined ? undefined : valid ? 'true' : 'false';
    return this._call('listInstances', { space, ...others, valid: validity, tag }, { signal });
  }

  listValues(space: string, schema: string, pointer: string): Promise<InstanceValues> {
    return this._call('listInstanceValues', { space, schema, pointer });
  }

  readInstance(space: string, instance: string): Promise<Instance> {
    return this._call('readInstance', { space, instance });
  }

  async checkInstance(space: string, name: string): Promise<readonly IValidationError[]> {
    if (space !== PIPELINES) {
      return [];
    }
    const { problems } = await this._call('checkPipeline', {}, { body: { name } });
    return problems;
  }

  async listPlugins(namespace: string): Promise<readonly IPlugin[]> {
    const { plugins } = await this._call('listPipelinePlugins', namespace === '' ? {} : { namespace });
    return plugins;
  }

  createInstance(space: string, document: InstanceEdit): Promise<Instance> {
    return this._call('createInstance', { space }, { body: document });
  }

  replaceInstance(space: string, instance: string, document: InstanceEdit, version: number | null): Promise<Instance> {
    return this._call('writeInstance', { space, instance, ...ifMatch(version) }, { body: document });
  }

  deleteInstance(space: string, instance: string, version: number | null): Promise<InstanceDeleteResult> {
    return this._call('deleteInstance', { space, instance, ...ifMatch(version) });
  }

  restoreVersion(space: string, instance: string, version: number): Promise<Instance> {
    return this._call('restoreInstance', { space, instance }, { body: { version } });
  }

  exportInstances(space: string, selection: InstanceExport): Promise<InstanceBundle> {
    return this._call('exportInstances', { space }, { body: selection });
  }

  importInstances(
    space: string,
    bundle: InstanceBundle,
    options: { dryRun: boolean; overwrite: boolean }
  ): Promise<InstanceImport> {
    return this._call('importInstances', { space, ...options }, { body: bundle });
  }

  listRecoveryFiles(space: string): Promise<RecoveryFiles> {
    return this._call('listRecoveryFiles', { space });
  }

  restoreRecoveryFile(space: string, file: string): Promise<Instance> {
    return this._call('restoreRecoveryFile', { space }, { body: { file } });
  }

  discardRecoveryFile(space: string, file: string): Promise<RecoveryFiles> {
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
