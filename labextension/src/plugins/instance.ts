import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILabStatus, ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette, WidgetTracker } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { saveIcon } from '@jupyterlab/ui-components';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { CommandIDs, DOMAIN } from '../commands';
import { schemaspacesIcon } from '../icons';
import { DraftStorage } from '../model/drafts';
import { InstancePanel, InstanceTab } from '../panels/instance';
import type { IInstancePlace } from '../panels/instance/model';
import { InstanceModel } from '../panels/instance/model';
import { ICatalog, IChangeFeed, IFormTools, ISchemaspaces } from '../tokens';
import { INSTANCE_ARGUMENTS, getText } from './arguments';
import { warnBeforeUnload } from './warn-before-unload';
import { addTab } from './tabs';

/** Returns the storage of the browser; null if it is not allowed. */
function getStorage(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

function toPlace(args: ReadonlyPartialJSONObject): IInstancePlace {
  const schema = getText(args, 'schema');
  // A list contains `{unknown}` for unreadable schema names.
  return { space: getText(args, 'space'), schema: schema.startsWith('{') ? '' : schema, name: getText(args, 'name') };
}

function isSame(left: IInstancePlace, right: IInstancePlace): boolean {
  const ofSchema = left.name !== '' || left.schema === right.schema;
  return left.space.toLowerCase() === right.space.toLowerCase() && left.name === right.name && ofSchema;
}

/** Returns the arguments of the command that opens a tab. */
function toArguments(tab: InstanceTab): ReadonlyPartialJSONObject {
  return { ...tab.content.model.place };
}

/** Registers the commands; `createTab` creates a tab. */
function registerCommands(
  { commands, shell }: JupyterFrontEnd,
  tracker: WidgetTracker<InstanceTab>,
  createTab: (place: IInstancePlace) => InstanceTab,
  translator: ITranslator
): void {
  const trans = translator.load(DOMAIN);
  let tabs = 0;
  const openTab = (place: IInstancePlace): InstanceTab => {
    const tab = createTab(place);
    tab.id = `jp-colophon-instance-${++tabs}`;
    addTab(shell, tab, 'Instance');
    void tracker.add(tab);
    let { name } = place;
    tab.content.model.changed.connect(model => {
      // The first save sets the name.
      if (model.place.name !== name) {
        ({ name } = model.place);
        void tracker.save(tab);
      }
    });
    return tab;
  };
  commands.addCommand(CommandIDs.editInstance, {
    label: trans.__('Edit Instance'),
    caption: trans.__('Open the form of an instance; without a name, of a new one'),
    icon: schemaspacesIcon,
    describedBy: { args: { ...INSTANCE_ARGUMENTS, required: ['space'] } },
    isEnabled: args => getText(args, 'space') !== '' && getText(args, 'schema') + getText(args, 'name') !== '',
    execute: args => {
      const place = toPlace(args);
      const tab = tracker.find(other => isSame(other.content.model.place, place)) ?? openTab(place);
      shell.activateById(tab.id);
      return tab;
    }
  });
  const getCurrentTab = (): InstanceTab | null => {
    const tab = tracker.currentWidget;
    return tab && (tab === shell.currentWidget || tab.node.contains(document.activeElement)) ? tab : null;
  };
  commands.addCommand(CommandIDs.saveInstance, {
    label: trans.__('Save Instance'),
    caption: trans.__('Save the instance in the form'),
    icon: saveIcon,
    describedBy: { args: { type: 'object', properties: {}, additionalProperties: false } },
    isEnabled: () => getCurrentTab() !== null,
    execute: () => getCurrentTab()?.content.save()
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
    const drafts = new DraftStorage(getStorage(), app.serviceManager.serverSettings.baseUrl);
    drafts.deleteExpired(Date.now());
    const tracker = new WidgetTracker<InstanceTab>({ namespace: 'colophon-instance' });
    const createTab = (place: IInstancePlace): InstanceTab => {
      const model = new InstanceModel({ spaces, catalog, feed, drafts }, place);
      const remove = (): void => {
        const { space, name } = model.place;
        void app.commands.execute(CommandIDs.deleteInstance, { space, name });
      };
      const tab = new InstanceTab(new InstancePanel(model, tools, remove, trans), trans);
      warnBeforeUnload(tab, status);
      return tab;
    };
    registerCommands(app, tracker, createTab, translator ?? nullTranslator);
    palette?.addItem({ command: CommandIDs.saveInstance, category: trans.__('Metadata') });
    void restorer?.restore(tracker, {
      command: CommandIDs.editInstance,
      args: toArguments,
      name: tab => JSON.stringify(toArguments(tab))
    });
  }
};
