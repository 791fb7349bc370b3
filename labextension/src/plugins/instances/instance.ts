import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILabStatus, ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette, WidgetTracker } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { saveIcon } from '@jupyterlab/ui-components';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { CommandIDs, DOMAIN } from '../../commands';
import { schemaspacesIcon } from '../../icons';
import { DraftStorage } from '../../model/editing/drafts';
import type { InstancePanel } from '../../panels/instance';
import type { IInstancePlace } from '../../panels/instance/model';
import { IFormTools, IMetadataService, ISchemaspaces } from '../../tokens';
import { INSTANCE_ARGUMENTS, getText } from '../arguments';
import { getBrowserStorage } from '../browser-storage';
import { warnBeforeUnload } from '../application/warn-before-unload';
import { PanelTab, activateTab, addTab, isCurrentTab } from '../application/tabs';

function toPlace(args: ReadonlyPartialJSONObject): IInstancePlace {
  const schema = getText(args, 'schema');
  // A list contains `{unknown}` for unreadable schema names.
  return { space: getText(args, 'space'), schema: schema.startsWith('{') ? '' : schema, name: getText(args, 'name') };
}

function isSame(left: IInstancePlace, right: IInstancePlace): boolean {
  const ofSchema = left.name !== '' || left.schema === right.schema;
  return left.space.toLowerCase() === right.space.toLowerCase() && left.name === right.name && ofSchema;
}

/** A tab of one instance. */
class InstanceTab extends PanelTab<InstancePanel> {
  constructor(
    private _place: IInstancePlace,
    loadPanel: () => Promise<InstancePanel>,
    trans: TranslationBundle
  ) {
    const title = { label: _place.name || _place.schema, caption: _place.space, icon: schemaspacesIcon };
    super(title, loadPanel, trans);
  }

  /** The place of the instance; the first save sets its name. */
  get place(): IInstancePlace {
    return this.panel?.model.place ?? this._place;
  }
}

/** Returns the arguments of the command that opens a tab. */
function toArguments(tab: InstanceTab): ReadonlyPartialJSONObject {
  return { ...tab.place };
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
    // The first save sets the name.
    tab.title.changed.connect(() => void tracker.save(tab));
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
      const tab = tracker.find(other => isSame(other.place, place)) ?? openTab(place);
      activateTab(shell, tab);
      return tab;
    }
  });
  const findCurrentTab = (): InstanceTab | undefined => tracker.find(tab => isCurrentTab(shell, tab));
  commands.addCommand(CommandIDs.saveInstance, {
    label: trans.__('Save Instance'),
    caption: trans.__('Save the instance in the form'),
    icon: saveIcon,
    describedBy: { args: { type: 'object', properties: {}, additionalProperties: false } },
    isEnabled: () => findCurrentTab() !== undefined,
    execute: () => findCurrentTab()?.panel?.save()
  });
}

export const instance: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:instance',
  description: 'Forms for instances of schemaspaces, in the main area.',
  autoStart: true,
  requires: [IMetadataService, ISchemaspaces, IFormTools],
  optional: [ITranslator, ILayoutRestorer, ILabStatus, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    metadata: IMetadataService,
    spaces: ISchemaspaces,
    tools: IFormTools,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    status: ILabStatus | null,
    palette: ICommandPalette | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const drafts = new DraftStorage(getBrowserStorage(), app.serviceManager.serverSettings.baseUrl);
    drafts.deleteExpired(Date.now());
    const tracker = new WidgetTracker<InstanceTab>({ namespace: 'colophon-instance' });
    const createTab = (place: IInstancePlace): InstanceTab => {
      const loadPanel = async (): Promise<InstancePanel> => {
        const panels = await import('../../panels/instance');
        const model = new panels.InstanceModel({ spaces, catalog: metadata, feed: metadata.feed, drafts }, place);
        const remove = (): void => {
          const { space, name } = model.place;
          void app.commands.execute(CommandIDs.deleteInstance, { space, name });
        };
        const open = (urn: string): void =>
          urn.startsWith('urn:li:instance:') ? metadata.openInstance(urn) : metadata.openEntity(urn);
        const panel = new panels.InstancePanel(model, tools, remove, open, trans);
        warnBeforeUnload(panel, status);
        return panel;
      };
      return new InstanceTab(place, loadPanel, trans);
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
