import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILabStatus, ILayoutRestorer } from '@jupyterlab/application';
import type { IWidgetTracker } from '@jupyterlab/apputils';
import { Clipboard, IThemeManager, Notification } from '@jupyterlab/apputils';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { saveIcon } from '@jupyterlab/ui-components';
import { CommandIDs, DOMAIN } from '../../commands';
import { metadataIcon } from '../../icons';
import { getLastPart } from '../../components/labels';
import { shortenUrn } from '../../model/urns';
import { canInsertCode } from '../../notebook/application-page';
import type { IEntityActions } from '../../panels/entity/page';
import { IEntityTabRegistry, IFollowedEntities, IFormTools, IMetadataService, IStarredEntities } from '../../tokens';
import { getBrowserStorage } from '../browser-storage';
import { createColumnActions } from './column-dialogs';
import { registerEntityCommands } from './entity-commands';
import { addEntityTabs } from './entity-tabs';
import { warnBeforeUnload } from '../application/warn-before-unload';
import { isCurrentTab, registerTabs } from '../application/tabs';

/** Returns the focused form, else the one of the current page; null if there is none. */
function findCurrentForm({ shell }: JupyterFrontEnd, tracker: IWidgetTracker): HTMLFormElement | null {
  const form = 'form.jp-Colophon-form';
  const focused = document.activeElement?.closest<HTMLFormElement>(form);
  const page = tracker.find(tab => isCurrentTab(shell, tab));
  return focused ?? page?.node.querySelector<HTMLFormElement>(form) ?? null;
}

/** Registers the command that saves the form of a page; settings bind it to a key. */
function registerSaveCommand(app: JupyterFrontEnd, tracker: IWidgetTracker, trans: TranslationBundle): void {
  app.commands.addCommand(CommandIDs.saveForm, {
    label: trans.__('Save Metadata'),
    caption: trans.__('Save the form of the metadata page'),
    icon: saveIcon,
    describedBy: { args: { type: 'object', properties: {}, additionalProperties: false } },
    isEnabled: () => findCurrentForm(app, tracker) !== null,
    execute: () => findCurrentForm(app, tracker)?.requestSubmit()
  });
}

function createActions(
  { commands }: JupyterFrontEnd,
  metadata: IMetadataService,
  trans: TranslationBundle
): IEntityActions {
  const { insertLoadCode, copyMagic } = CommandIDs;
  return {
    openEntity: urn => metadata.openEntity(urn),
    openLineage: urn => metadata.openLineage(urn),
    openInstance: urn => metadata.openInstance(urn),
    openCell: place => metadata.openCell(place),
    search: search => void commands.execute(CommandIDs.showSearch, { ...search }),
    insertCode: canInsertCode() ? (urn, library) => void commands.execute(insertLoadCode, { urn, library }) : null,
    copyMagic: urn => void commands.execute(copyMagic, { urn }),
    pickReference: async kind => {
      const { pickReference } = await import('../../panels/picker/pick-reference');
      return pickReference(metadata, kind, trans);
    },
    ...createColumnActions(metadata, trans),
    pickPerson: async type => {
      const { pickEntity } = await import('../../panels/picker');
      const title = type === 'corpuser' ? trans.__('Choose a user') : trans.__('Choose a team');
      return pickEntity(metadata, title, { types: [type], okLabel: trans.__('Add') }, trans);
    },
    deleteEntity: urn => void commands.execute(CommandIDs.deleteEntity, { urn }),
    restoreEntity: urn => void commands.execute(CommandIDs.restoreEntity, { urn }),
    copyText: text => {
      Clipboard.copyToSystem(text);
      Notification.info(trans.__('Copied.'), { autoClose: 2000 });
    }
  };
}

export const entity: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:entity',
  description: 'Pages of entities in the main area, with forms for user metadata.',
  autoStart: true,
  requires: [IMetadataService, IFormTools, IEntityTabRegistry],
  optional: [
    ITranslator,
    ILayoutRestorer,
    ILabStatus,
    IRenderMimeRegistry,
    IStarredEntities,
    IFollowedEntities,
    IThemeManager
  ],
  activate: (
    app: JupyterFrontEnd,
    metadata: IMetadataService,
    tools: IFormTools,
    tabs: IEntityTabRegistry,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    status: ILabStatus | null,
    rendermime: IRenderMimeRegistry | null,
    starred: IStarredEntities | null,
    followed: IFollowedEntities | null,
    themes: IThemeManager | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const actions = createActions(app, metadata, trans);
    addEntityTabs(tabs, trans);
    registerEntityCommands(app, metadata, trans);
    const kind = {
      namespace: 'colophon-entity',
      type: 'Metadata',
      command: CommandIDs.openEntity,
      label: trans.__('Open Metadata Page'),
      caption: trans.__('Description, columns, lineage, runs and history'),
      icon: metadataIcon,
      getTitle: (urn: string) => ({ label: getLastPart(shortenUrn(urn)), caption: shortenUrn(urn) }),
      loadPanel: async (urn: string) => {
        const { EntityModel, EntityPanel, RememberedTabs } = await import('../../panels/entity');
        const remembered = new RememberedTabs(getBrowserStorage(), app.serviceManager.serverSettings.baseUrl);
        const model = new EntityModel(metadata, metadata.feed, urn, remembered);
        const themeChanged = themes?.themeChanged ?? null;
        const services = { metadata, tabs, rendermime, starred, followed, themeChanged };
        const panel = new EntityPanel(model, actions, tools, services, trans);
        warnBeforeUnload(panel, status);
        return panel;
      }
    };
    registerSaveCommand(app, registerTabs(app, restorer, kind, trans), trans);
  }
};
