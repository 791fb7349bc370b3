import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import type { IEntityTab, ILineageDecoration, ISearchSection } from '../tokens';
import { Registry } from '../model/registry';
import { IEntityTabRegistry, ILineageDecorator, ISearchSectionRegistry } from '../tokens';

export const searchSections: JupyterFrontEndPlugin<ISearchSectionRegistry> = {
  id: 'jupyter-colophon:search-sections',
  description: 'The sections of the search panel, to which other extensions can add.',
  autoStart: true,
  provides: ISearchSectionRegistry,
  activate: () => new Registry<ISearchSection>()
};

export const entityTabs: JupyterFrontEndPlugin<IEntityTabRegistry> = {
  id: 'jupyter-colophon:entity-tabs',
  description: 'The tabs of the pages of entities, to which other extensions can add.',
  autoStart: true,
  provides: IEntityTabRegistry,
  activate: () => new Registry<IEntityTab>()
};

export const lineageDecorator: JupyterFrontEndPlugin<ILineageDecorator> = {
  id: 'jupyter-colophon:lineage-decorator',
  description: 'The marks of nodes in lineage graphs, to which other extensions can add.',
  autoStart: true,
  provides: ILineageDecorator,
  activate: () => new Registry<ILineageDecoration>()
};
