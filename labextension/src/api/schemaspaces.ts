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
  PipelineCheck,
  PipelineCheckResult,
  PipelinePlugins,
  Schemaspaces as Spaces
} from '../generated/api';
import type { IFault } from '../model/problem';
import type { IInstanceQuestion, IPlugin, ISchemaspaces } from '../tokens';
import type { Parameters } from './addresses';
import { address } from './addresses';
import type { IRequest } from './requests';
import { send } from './requests';

/** What must still be true of an instance when a request is done; nothing for null. */
function condition(version: number | null): Record<string, string> {
  return version === null ? {} : { 'If-Match': `"${version}"` };
}

/** The schemaspace whose instances the server can check beyond their schema. */
const PIPELINES = 'pipelines';

/** Schemaspaces and their instances over HTTP (`docs/api.md`). */
export class Schemaspaces implements ISchemaspaces {
  constructor(private _settings: ServerConnection.ISettings) {}

  all(): Promise<Spaces> {
    return this._send([]);
  }

  refresh(space?: string): Promise<void> {
    return this._send(['refresh'], { method: 'POST' }, { space });
  }

  schema(space: string, name: string): Promise<Record<string, unknown>> {
    return this._send([space, 'schemas', name]);
  }

  instances(space: string, question: IInstanceQuestion, signal?: AbortSignal): Promise<Instances> {
    const { tags = [], ...rest } = question;
    // A tag may hold any character, so several are a JSON list.
    const tag = tags.length === 0 ? undefined : JSON.stringify(tags);
    return this._send([space, 'instances'], { signal }, { ...rest, tag });
  }

  values(space: string, schema: string, pointer: string): Promise<InstanceValues> {
    return this._send([space, 'values'], {}, { schema, pointer });
  }

  instance(space: string, name: string): Promise<Instance> {
    return this._send([space, 'instances', name]);
  }

  async findings(space: string, name: string): Promise<readonly IFault[]> {
    if (space !== PIPELINES) {
      return [];
    }
    const body: PipelineCheck = { name };
    const found = await send<PipelineCheckResult>(this._settings, address([PIPELINES, 'check']), {
      method: 'POST',
      body
    });
    return found.problems;
  }

  async plugins(): Promise<readonly IPlugin[]> {
    const { plugins } = await send<PipelinePlugins>(this._settings, address([PIPELINES, 'plugins']));
    return plugins;
  }

  create(space: string, document: InstanceEdit): Promise<Instance> {
    return this._send([space, 'instances'], { method: 'POST', body: document });
  }

  replace(space: string, name: string, document: InstanceEdit, version: number | null): Promise<Instance> {
    return this._send([space, 'instances', name], { method: 'PUT', body: document, headers: condition(version) });
  }

  remove(space: string, name: string, version: number | null): Promise<InstanceDeleteResult> {
    return this._send([space, 'instances', name], { method: 'DELETE', headers: condition(version) });
  }

  restore(space: string, name: string, version: number): Promise<Instance> {
    return this._send([space, 'instances', name, 'restore'], { method: 'POST', body: { version } });
  }

  exported(space: string, wanted: InstanceExport): Promise<InstanceBundle> {
    return this._send([space, 'export'], { method: 'POST', body: wanted });
  }

  imported(
    space: string,
    bundle: InstanceBundle,
    how: { dryRun: boolean; overwrite: boolean }
  ): Promise<InstanceImport> {
    return this._send([space, 'import'], { method: 'POST', body: bundle }, how);
  }

  leftovers(space: string): Promise<RecoveryFiles> {
    return this._send([space, 'recovery-files']);
  }

  recover(space: string, file: string): Promise<Instance> {
    return this._send([space, 'recovery-files', 'recover'], { method: 'POST', body: { file } });
  }

  discard(space: string, file: string): Promise<RecoveryFiles> {
    return this._send([space, 'recovery-files', 'discard'], { method: 'POST', body: { file } });
  }

  private _send<T>(parts: readonly string[], request: IRequest = {}, parameters: Parameters = {}): Promise<T> {
    return send<T>(this._settings, address(['schemaspaces', ...parts], parameters), request);
  }
}
