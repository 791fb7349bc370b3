import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { StarredEntities } from '../model/starred';
import { IStarredEntities } from '../tokens';

export const starred: JupyterFrontEndPlugin<IStarredEntities> = {
  id: 'jupyter-colophon:starred',
  description: 'The entities that the user has starred, kept in the settings.',
  autoStart: true,
  provides: IStarredEntities,
  requires: [ISettingRegistry],
  activate: (_, registry: ISettingRegistry) => new StarredEntities(registry.load('jupyter-colophon:starred'))
};
