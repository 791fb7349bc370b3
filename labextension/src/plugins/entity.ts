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
import { guard } from './guard';
import { openersOf } from './openers';
import { offerTabs } from './tabs';

/** The form that has the keyboard, else the one of the page in front. */
function currentForm({ shell }: JupyterFrontEnd): HTMLFormElement | null {
  const form = 'form.jp-Colophon-form';
  const focused = document.activeElement?.closest<HTMLFormElement>(form);
  return focused ?? shell.currentWidget?.node.querySelector<HTMLFormElement>(form) ?? null;
}

/** Offers to save the form of a page, which the settings bind to a key. */
function offerSaving(app: JupyterFrontEnd, trans: TranslationBundle): void {
  app.commands.addCommand(CommandIDs.saveForm, {
    label: trans.__('Save Metadata'),
    caption: trans.__('Save the form of the metadata page'),
    icon: saveIcon,
    describedBy: { args: { type: 'object', properties: {}, additionalProperties: false } },
    isEnabled: () => currentForm(app) !== null,
    execute: () => currentForm(app)?.requestSubmit()
  });
}

export const entity: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:entity',
  description: 'Pages of entities in the main area, with forms for what people may write.',
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
    const openers = openersOf(app.commands);
    offerSaving(app, trans);
    offerTabs(app, restorer, {
      namespace: 'colophon-entity',
      type: 'Metadata',
      command: CommandIDs.openEntity,
      label: trans.__('Open Metadata Page'),
      caption: trans.__('What people and machines wrote about this, its schema, runs and history'),
      icon: metadataIcon,
      made: urn => {
        const tab = new EntityTab(new EntityPanel(new EntityModel(catalog, feed, urn), openers, tools, trans), trans);
        guard(tab, status);
        return tab;
      }
    });
  }
};
