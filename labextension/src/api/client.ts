import type { ServerConnection } from '@jupyterlab/services';
import type { IOperations } from '../generated/operations';
import type { ICallOptions, ICatalog, OperationId } from '../tokens';
import { call } from './call';

/** The native API over HTTP (docs/api.md). */
export class Catalog implements ICatalog {
  constructor(private _settings: ServerConnection.ISettings) {}

  call<Id extends OperationId>(
    id: Id,
    parameters: IOperations[Id]['parameters'],
    options: ICallOptions<Id> = {}
  ): Promise<IOperations[Id]['answer']> {
    return call(this._settings, id, parameters, options);
  }
}
