import { nullTranslator } from '@jupyterlab/translation';
import { Catalog } from '../../src/api/client';
import { Registry } from '../../src/model/registry';
import { EntityPanel } from '../../src/panels/entity';
import { EntityModel } from '../../src/panels/entity/model';
import { addEntityTabs } from '../../src/plugins/entities/entity-tabs';
import type { IChangeFeed, IEntityList, IEntityTab, ISearch, IMetadataService } from '../../src/tokens';
import { FakeFeed } from './feed';
import type { FakeServer } from './server';

/** Creates the page of an entity at one of its tabs. */
export function createEntityPage(
  server: FakeServer,
  urn: string,
  options: {
    tab?: string;
    feed?: IChangeFeed;
    followed?: IEntityList | undefined;
    search?: (search: ISearch) => unknown;
    open?: (urn: string) => void;
    showImpact?: (urn: string) => void;
  } = {}
): EntityPanel {
  const { tab = 'overview', feed, open = () => undefined } = options;
  const trans = nullTranslator.load('');
  const catalog = new Catalog(server.settings);
  const openers = {
    openEntity: open,
    previewEntity: open,
    openLineage: () => undefined,
    openInstance: () => undefined,
    openCell: () => undefined
  };
  const metadata: IMetadataService = {
    ...openers,
    call: (id, parameters, more) => catalog.call(id, parameters, more),
    feed: feed ?? new FakeFeed().feed
  };
  const tabs = new Registry<IEntityTab>();
  addEntityTabs(tabs, trans);
  const actions = {
    ...openers,
    search: (of: ISearch) => void options.search?.(of),
    insertCode: () => undefined,
    copyMagic: () => undefined,
    copyText: () => undefined,
    pickReference: () => Promise.resolve(null),
    showImpact: (urn: string) => Promise.resolve(options.showImpact?.(urn)),
    confirmColumnRemoval: () => Promise.resolve(true),
    askForColumnName: () => Promise.resolve('renamed'),
    pickPerson: () => Promise.resolve(null),
    deleteEntity: () => undefined,
    restoreEntity: () => undefined
  };
  const model = new EntityModel(catalog, feed ?? null, urn);
  model.selectTab(tab);
  const services = {
    metadata,
    tabs,
    rendermime: null,
    starred: null,
    followed: options.followed ?? null,
    themeChanged: null
  };
  return new EntityPanel(model, actions, { editors: null, renderers: null }, services, trans);
}
