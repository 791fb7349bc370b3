import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Catalog } from '../api/client';
import { Schemaspaces } from '../api/schemaspaces';
import { ICatalog, ISchemaspaces } from '../tokens';

export const api: JupyterFrontEndPlugin<ICatalog> = {
  id: 'jupyter-colophon:api',
  description: 'The metadata catalog of this server.',
  autoStart: true,
  provides: ICatalog,
  activate: (app: JupyterFrontEnd) => new Catalog(app.serviceManager.serverSettings)
};

export const schemaspacesApi: JupyterFrontEndPlugin<ISchemaspaces> = {
  id: 'jupyter-colophon:schemaspaces-api',
  description: 'The schemaspaces of this server and their instances.',
  autoStart: true,
  provides: ISchemaspaces,
  activate: (app: JupyterFrontEnd) => new Schemaspaces(app.serviceManager.serverSettings)
};
