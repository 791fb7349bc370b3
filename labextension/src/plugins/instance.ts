import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILabStatus, ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette, WidgetTracker } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { saveIcon } from '@jupyterlab/ui-components';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { CommandIDs, DOMAIN } from '../commands';
import { schemaspacesIcon } from '../icons';
import { Drafts } from '../model/drafts';
import { InstancePanel, InstanceTab } from '../panels/instance';
import type { IInstancePlace } from '../panels/instance/model';
import { InstanceModel } from '../panels/instance/model';
import { ICatalog, IChangeFeed, IFormTools, ISchemaspaces } from '../tokens';
import { INSTANCE_ARGUMENTS, textOf } from './arguments';
import { guard } from './guard';
import { addTab } from './tabs';

/** The browser's storage; a browser may forbid it. */
function storage(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

function placeOf(args: ReadonlyPartialJSONObject): IInstancePlace {
  const schema = textOf(args, 'schema');
  // A list says `{unknown}` of what it could not read.
  return { space: textOf(args, 'space'), schema: schema.startsWith('{') ? '' : schema, name: textOf(args, 'name') };
}

function isSame(one: IInstancePlace, other: IInstancePlace): boolean {
  const ofSchema = one.name !== '' || one.schema === other.schema;
  return one.space.toLowerCase() === other.space.toLowerCase() && one.name === other.name && ofSchema;
}

/** A place as arguments of the command that opens it. */
function argumentsOf(tab: InstanceTab): ReadonlyPartialJSONObject {
  return { ...tab.content.model.place };
}

/** Offers the commands; a tab is made by `made`. */
function offerCommands(
  { commands, shell }: JupyterFrontEnd,
  tracker: WidgetTracker<InstanceTab>,
  made: (place: IInstancePlace) => InstanceTab,
  translator: ITranslator
): void {
  const trans = translator.load(DOMAIN);
  let tabs = 0;
  const added = (place: IInstancePlace): InstanceTab => {
    const tab = made(place);
    tab.id = `jp-colophon-instance-${++tabs}`;
    addTab(shell, tab, 'Instance');
    void tracker.add(tab);
    let { name } = place;
    tab.content.model.changed.connect(model => {
      // It has got its name by being saved.
      if (model.place.name !== name) {
        ({ name } = model.place);
        void tracker.save(tab);
      }
    });
    return tab;
  };
  commands.addCommand(CommandIDs.editInstance, {
    label: trans.__('Edit Instance'),
    caption: trans.__('A form for an instance of a schemaspace; for a new one where no name is said'),
    icon: schemaspacesIcon,
    describedBy: { args: { ...INSTANCE_ARGUMENTS, required: ['space'] } },
    isEnabled: args => textOf(args, 'space') !== '' && textOf(args, 'schema') + textOf(args, 'name') !== '',
    execute: args => {
      const place = placeOf(args);
      const tab = tracker.find(other => isSame(other.content.model.place, place)) ?? added(place);
      shell.activateById(tab.id);
      return tab;
    }
  });
  const current = (): InstanceTab | null => {
    const tab = tracker.currentWidget;
    return tab && (tab === shell.currentWidget || tab.node.contains(document.activeElement)) ? tab : null;
  };
  commands.addCommand(CommandIDs.saveInstance, {
    label: trans.__('Save Instance'),
    caption: trans.__('Save the instance in the form'),
    icon: saveIcon,
    describedBy: { args: { type: 'object', properties: {}, additionalProperties: false } },
    isEnabled: () => current() !== null,
    execute: () => current()?.content.save()
  });
}

export const instance: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:instance',
  description: 'Forms for instances of schemaspaces, in the main area.',
  autoStart: true,
  requires: [ICatalog, ISchemaspaces, IFormTools],
  optional: [IChangeFeed, ITranslator, ILayoutRestorer, ILabStatus, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    catalog: ICatalog,
    spaces: ISchemaspaces,
    tools: IFormTools,
    feed: IChangeFeed | null,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    status: ILabStatus | null,
    palette: ICommandPalette | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const drafts = new Drafts(storage(), app.serviceManager.serverSettings.baseUrl);
    drafts.tidy(Date.now());
    const tracker = new WidgetTracker<InstanceTab>({ namespace: 'colophon-instance' });
    const made = (place: IInstancePlace): InstanceTab => {
      const model = new InstanceModel({ spaces, catalog, feed, drafts }, place);
      const remove = (): void => {
        const { space, name } = model.place;
        void app.commands.execute(CommandIDs.deleteInstance, { space, name });
      };
      const tab = new InstanceTab(new InstancePanel(model, tools, remove, trans), trans);
      guard(tab, status);
      return tab;
    };
    offerCommands(app, tracker, made, translator ?? nullTranslator);
    palette?.addItem({ command: CommandIDs.saveInstance, category: trans.__('Metadata') });
    void restorer?.restore(tracker, {
      command: CommandIDs.editInstance,
      args: argumentsOf,
      name: tab => JSON.stringify(argumentsOf(tab))
    });
  }
};
