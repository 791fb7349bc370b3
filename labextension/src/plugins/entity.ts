import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILabStatus, ILayoutRestorer } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { saveIcon } from '@jupyterlab/ui-components';
import { CommandIDs, DOMAIN } from '../commands';
import { metadataIcon } from '../icons';
import { getLastPart } from '../components/labels';
import { shortenUrn } from '../model/urns';
import { IFormTools, IMetadataService } from '../tokens';
import { warnBeforeUnload } from './warn-before-unload';
import { registerTabs } from './tabs';

/** Returns the focused form, else the one of the current page. */
function findCurrentForm({ shell }: JupyterFrontEnd): HTMLFormElement | null {
  const form = 'form.jp-Colophon-form';
  const focused = document.activeElement?.closest<HTMLFormElement>(form);
  return focused ?? shell.currentWidget?.node.querySelector<HTMLFormElement>(form) ?? null;
}

/** Registers the command that saves the form of a page; settings bind it to a key. */
function registerSaveCommand(app: JupyterFrontEnd, trans: TranslationBundle): void {
  app.commands.addCommand(CommandIDs.saveForm, {
    label: trans.__('Save Metadata'),
    caption: trans.__('Save the form of the metadata page'),
    icon: saveIcon,
    describedBy: { args: { type: 'object', properties: {}, additionalProperties: false } },
    isEnabled: () => findCurrentForm(app) !== null,
    execute: () => findCurrentForm(app)?.requestSubmit()
  });
}

export const entity: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:entity',
  description: 'Pages of entities in the main area, with forms for user metadata.',
  autoStart: true,
  requires: [IMetadataService, IFormTools],
  optional: [ITranslator, ILayoutRestorer, ILabStatus],
  activate: (
    app: JupyterFrontEnd,
    metadata: IMetadataService,
    tools: IFormTools,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    status: ILabStatus | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    registerSaveCommand(app, trans);
    const kind = {
      namespace: 'colophon-entity',
      type: 'Metadata',
      command: CommandIDs.openEntity,
      label: trans.__('Open Metadata Page'),
      caption: trans.__('User and system metadata, schema, runs and history'),
      icon: metadataIcon,
      getTitle: (urn: string) => ({ label: getLastPart(shortenUrn(urn)), caption: shortenUrn(urn) }),
      loadPanel: async (urn: string) => {
        const { EntityModel, EntityPanel } = await import('../panels/entity');
        const panel = new EntityPanel(new EntityModel(metadata, metadata.feed, urn), metadata, tools, trans);
        warnBeforeUnload(panel, status);
        return panel;
      }
    };
    registerTabs(app, restorer, kind, trans);
  }
};
