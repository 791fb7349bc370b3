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
  const { method, contentType, headers: headerNames = [] } = OPERATIONS[id];
  const values = collectParameters(parameters);
  const headers = Object.fromEntries(
    headerNames.flatMap(name => (values.has(name) ? [[name, values.get(name) ?? '']] : []))
  );
  return send(settings, buildPath(id, parameters), { method, headers, contentType, ...options });
}

/**
 * Builds the path of an operation, relative to the root of the API, with its query. Parts are encoded, so a URN is one
 * part.
 */
export function buildPath<Id extends OperationId>(id: Id, parameters: IOperations[Id]['parameters']): string {
  const { path, headers = [] } = OPERATIONS[id];
  const unused = collectParameters(parameters);
  headers.forEach(name => unused.delete(name));
  const filledPath = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = unused.get(name) ?? '';
    unused.delete(name);
    return encodeURIComponent(value);
  });
  const query = [...unused].filter(([, value]) => value !== '').map(pair => pair.map(encodeURIComponent).join('='));
  return query.length === 0 ? filledPath : `${filledPath}?${query.join('&')}`;
}

function collectParameters(parameters: object): Map<string, string> {
  const defined = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return new Map(defined.map(([name, value]) => [name, String(value)]));
}
