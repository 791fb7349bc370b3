import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { EntityList } from '../../model/search/entity-list';
import { IStarredEntities } from '../../tokens';

export const starred: JupyterFrontEndPlugin<IStarredEntities> = {
  id: 'jupyter-colophon:starred',
  description: 'The entities that the user has starred, kept in the settings.',
  autoStart: true,
  provides: IStarredEntities,
  requires: [ISettingRegistry],
  activate: (_, registry: ISettingRegistry) => new EntityList(registry.load('jupyter-colophon:starred'), 'starred')
};
