import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';
import { Menu } from '@lumino/widgets';
import { CommandIDs, DOMAIN } from '../../commands';
import { LazyPanel } from '../../components/lazy-panel';
import { schemaspacesIcon } from '../../icons';
import { canInsertCode } from '../../notebook/application-page';
import type { ISchemaspaceActions } from '../../panels/schemaspace/actions';
import type { Space } from '../../panels/schemaspace/model';
import { SchemaspacesModel } from '../../panels/schemaspace/model';
import type { SnippetCache } from '../../panels/schemaspace/snippet-cache';
import { IMetadataService, ISchemaspaces } from '../../tokens';
import { registerFileCommands } from './instance-files';
import { registerInstanceCommands } from './instances';
import { registerSnippetCommands } from '../notebooks/snippets';

/** The key of the open sections in the state database. */
const STATE_KEY = 'jupyter-colophon:schemaspaces';

/** Creates functions that read and write which sections are open. */
function createOpenState(
  state: IStateDB | null
): [read: () => Promise<string[] | null>, write: (open: string[]) => void] {
  const read = async (): Promise<string[] | null> => {
    const value = await state?.fetch(STATE_KEY);
    const open = typeof value === 'object' && value !== null && 'open' in value ? value.open : null;
    return Array.isArray(open) ? open.filter(name => typeof name === 'string') : null;
  };
  return [read, open => void state?.save(STATE_KEY, { open })];
}

/** Opens a menu with the schemas of a schemaspace; with a single schema, creates an instance at once. */
function openCreateMenu({ commands }: JupyterFrontEnd, space: Space, button: HTMLElement): void {
  const schemas = space.schemas.filter(schema => !schema.deprecated);
  const choices = (schemas.length > 0 ? schemas : space.schemas).map(({ name, title }) => ({
    space: space.name,
    schema: name,
    title
  }));
  if (choices.length === 1) {
    void commands.execute(CommandIDs.createInstance, choices[0]);
    return;
  }
  const menu = new Menu({ commands });
  choices.forEach(args => menu.addItem({ command: CommandIDs.createInstance, args }));
  menu.aboutToClose.connect(() => button.focus());
  const { left, bottom } = button.getBoundingClientRect();
  menu.open(left, bottom);
}

function createActions(app: JupyterFrontEnd, snippetCache: SnippetCache): ISchemaspaceActions {
  const run = (command: string, args: Record<string, string>): void => void app.commands.execute(command, args);
  return {
    edit: (space, row) => run(CommandIDs.editInstance, { space, schema: row.schema_name, name: row.name }),
    remove: (space, row) => run(CommandIDs.deleteInstance, { space, name: row.name }),
    insert: canInsertCode() ? (space, row) => run(CommandIDs.insertSnippet, { space, name: row.name }) : null,
    create: (space, button) => openCreateMenu(app, space, button),
    importInto: space => run(CommandIDs.importInstances, { space }),
    exportFrom: space => run(CommandIDs.exportInstances, { space }),
    refreshSpace: space => run(CommandIDs.refreshSchemaspaces, { space }),
    getCachedCode: (space, row) => snippetCache.get(space, row),
    fetchCode: (space, row) => snippetCache.fetch(space, row)
  };
}

export const schemaspaces: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:schemaspaces',
  description: 'The panel Schemaspaces in the left sidebar: instances of all schemaspaces, with actions.',
  autoStart: true,
  requires: [IMetadataService, ISchemaspaces],
  optional: [ITranslator, ILayoutRestorer, ICommandPalette, IStateDB],
  activate: (
    app: JupyterFrontEnd,
    metadata: IMetadataService,
    spaces: ISchemaspaces,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    state: IStateDB | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const { commands, shell } = app;
    const [readOpen, saveOpen] = createOpenState(state);
    const model = new SchemaspacesModel(spaces, metadata.feed, readOpen);
    const loadPanel = async (): Promise<Widget> => {
      const { SchemaspacesPanel, SnippetCache } = await import('../../panels/schemaspace');
      return new SchemaspacesPanel(model, createActions(app, new SnippetCache(spaces)), trans);
    };
    const panel = new LazyPanel(loadPanel, trans);
    panel.id = 'jp-colophon-schemaspaces';
    panel.title.icon = schemaspacesIcon;
    panel.title.caption = trans.__('Schemaspaces');
    shell.add(panel, 'left', { rank: 860, type: 'Schemaspaces' });
    restorer?.add(panel, panel.id);
    let { open } = model.state;
    model.changed.connect(() => {
      if (model.state.answered && model.state.open !== open) {
        open = model.state.open;
        saveOpen([...open]);
      }
    });
    commands.addCommand(CommandIDs.showSchemaspaces, {
      label: trans.__('Show Schemaspaces'),
      caption: trans.__('Snippets, runtimes and other instances of schemaspaces'),
      icon: schemaspacesIcon,
      describedBy: { args: { type: 'object', properties: {}, additionalProperties: false } },
      execute: () => shell.activateById(panel.id)
    });
    const commandIds = [
      CommandIDs.showSchemaspaces,
      ...registerInstanceCommands(app, spaces, model, trans),
      ...registerFileCommands(app, spaces, model, trans),
      ...registerSnippetCommands(app, spaces, model, trans)
    ];
    commandIds.forEach(command => palette?.addItem({ command, category: trans.__('Metadata') }));
  }
};
