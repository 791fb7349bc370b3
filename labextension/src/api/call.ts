import type { ServerConnection } from '@jupyterlab/services';
import type { IOperations } from '../generated/operations';
import { OPERATIONS } from '../generated/operations';
import type { ICallOptions, OperationId } from '../tokens';
import { send } from './requests';

/** Calls an operation of the native API. Rejects with a `CatalogProblem`, or with `Superseded` if it was aborted. */
export function call<Id extends OperationId>(
  settings: ServerConnection.ISettings,
  id: Id,
  parameters: IOperations[Id]['parameters'],
  options: ICallOptions<Id> = {}
): Promise<IOperations[Id]['answer']> {
  const { method, contentType, headers: fields = [] } = OPERATIONS[id];
  const given = givenParameters(parameters);
  const headers = Object.fromEntries(fields.flatMap(name => (given.has(name) ? [[name, given.get(name) ?? '']] : [])));
  return send(settings, operationPath(id, parameters), { method, headers, contentType, ...options });
}

/** The path of an operation below the root of the API, with its query; every part is encoded, so a URN is one part. */
export function operationPath<Id extends OperationId>(id: Id, parameters: IOperations[Id]['parameters']): string {
  const { path, headers = [] } = OPERATIONS[id];
  const rest = givenParameters(parameters);
  headers.forEach(name => rest.delete(name));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name) ?? '';
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const query = [...rest].filter(([, value]) => value !== '').map(pair => pair.map(encodeURIComponent).join('='));
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

function givenParameters(parameters: object): Map<string, string> {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return new Map(given.map(([name, value]) => [name, String(value)]));
}
