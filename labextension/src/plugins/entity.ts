import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILabStatus, ILayoutRestorer } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { saveIcon } from '@jupyterlab/ui-components';
import { CommandIDs, DOMAIN } from '../commands';
import { metadataIcon } from '../icons';
import { EntityPanel, EntityTab } from '../panels/entity';
import { EntityModel } from '../panels/entity/model';
import { ICatalog, IChangeFeed, IFormTools } from '../tokens';
import { warnBeforeUnload } from './warn-before-unload';
import { createOpeners } from './openers';
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
  requires: [ICatalog, IFormTools],
  optional: [IChangeFeed, ITranslator, ILayoutRestorer, ILabStatus],
  activate: (
    app: JupyterFrontEnd,
    catalog: ICatalog,
    tools: IFormTools,
    feed: IChangeFeed | null,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    status: ILabStatus | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const openers = createOpeners(app.commands);
    registerSaveCommand(app, trans);
    registerTabs(app, restorer, {
      namespace: 'colophon-entity',
      type: 'Metadata',
      command: CommandIDs.openEntity,
      label: trans.__('Open Metadata Page'),
      caption: trans.__('User and system metadata, schema, runs and history'),
      icon: metadataIcon,
      createTab: urn => {
        const tab = new EntityTab(new EntityPanel(new EntityModel(catalog, feed, urn), openers, tools, trans), trans);
        warnBeforeUnload(tab, status);
        return tab;
      }
    });
  }
};
