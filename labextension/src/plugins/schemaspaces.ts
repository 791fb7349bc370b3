import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { Menu } from '@lumino/widgets';
import { CommandIDs, DOMAIN } from '../commands';
import { schemaspacesIcon } from '../icons';
import { SchemaspacesPanel } from '../panels/schemaspace';
import type { ISchemaspaceActions } from '../panels/schemaspace/actions';
import type { Space } from '../panels/schemaspace/model';
import { SchemaspacesModel } from '../panels/schemaspace/model';
import { IChangeFeed, ISchemaspaces } from '../tokens';
import { offerFileCommands } from './instance-files';
import { offerInstanceCommands } from './instances';
import { offerSnippetCommands, SnippetsAtHand } from './snippets';

/** Where the browser remembers which sections are open. */
const STATE = 'jupyter-colophon:schemaspaces';

/** Sections that were open come open again. */
function remember(state: IStateDB | null): [read: () => Promise<string[] | null>, write: (open: string[]) => void] {
  const read = async (): Promise<string[] | null> => {
    const value = await state?.fetch(STATE);
    const open = typeof value === 'object' && value !== null && 'open' in value ? value.open : null;
    return Array.isArray(open) ? open.filter(name => typeof name === 'string') : null;
  };
  return [read, open => void state?.save(STATE, { open })];
}

/** Asks by a menu at a button which schema a new instance is to follow; does not ask where there is one. */
function createBy({ commands }: JupyterFrontEnd, space: Space, button: HTMLElement): void {
  const schemas = space.schemas.filter(schema => !schema.deprecated);
  const offered = (schemas.length > 0 ? schemas : space.schemas).map(({ name, title }) => ({
    space: space.name,
    schema: name,
    title
  }));
  if (offered.length === 1) {
    void commands.execute(CommandIDs.createInstance, offered[0]);
    return;
  }
  const menu = new Menu({ commands });
  offered.forEach(args => menu.addItem({ command: CommandIDs.createInstance, args }));
  menu.aboutToClose.connect(() => button.focus());
  const { left, bottom } = button.getBoundingClientRect();
  menu.open(left, bottom);
}

function actionsOf(app: JupyterFrontEnd, atHand: SnippetsAtHand): ISchemaspaceActions {
  const run = (command: string, args: Record<string, string>): void => void app.commands.execute(command, args);
  return {
    edit: (space, row) => run(CommandIDs.editInstance, { space, schema: row.schema_name, name: row.name }),
    remove: (space, row) => run(CommandIDs.deleteInstance, { space, name: row.name }),
    insert: (space, row) => run(CommandIDs.insertSnippet, { space, name: row.name }),
    create: (space, button) => createBy(app, space, button),
    importInto: space => run(CommandIDs.importInstances, { space }),
    exportFrom: space => run(CommandIDs.exportInstances, { space }),
    reload: space => run(CommandIDs.refreshSchemaspaces, { space }),
    codeAtHand: (space, row) => atHand.get(space, row),
    fetchCode: (space, row) => atHand.fetch(space, row)
  };
}

export const schemaspaces: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:schemaspaces',
  description:
    'The tab Schemaspaces of the left sidebar: instances of every schemaspace, and what can be done with them.',
  autoStart: true,
  requires: [ISchemaspaces],
  optional: [IChangeFeed, ITranslator, ILayoutRestorer, ICommandPalette, IStateDB],
  activate: (
    app: JupyterFrontEnd,
    spaces: ISchemaspaces,
    feed: IChangeFeed | null,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    state: IStateDB | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const { commands, shell } = app;
    const [read, write] = remember(state);
    const model = new SchemaspacesModel(spaces, feed, read);
    const panel = new SchemaspacesPanel(model, actionsOf(app, new SnippetsAtHand(spaces)), trans);
    shell.add(panel, 'left', { rank: 860, type: 'Schemaspaces' });
    restorer?.add(panel, panel.id);
    let { open } = model.state;
    model.changed.connect(() => {
      if (model.state.answered && model.state.open !== open) {
        open = model.state.open;
        write([...open]);
      }
    });
    commands.addCommand(CommandIDs.showSchemaspaces, {
      label: trans.__('Show Schemaspaces'),
      caption: trans.__('Snippets, runtimes and other instances of schemaspaces'),
      icon: schemaspacesIcon,
      describedBy: { args: { type: 'object', properties: {}, additionalProperties: false } },
      execute: () => shell.activateById(panel.id)
    });
    const offered = [
      CommandIDs.showSchemaspaces,
      ...offerInstanceCommands(app, spaces, model, trans),
      ...offerFileCommands(app, spaces, model, trans),
      ...offerSnippetCommands(app, spaces, model, trans)
    ];
    offered.forEach(command => palette?.addItem({ command, category: trans.__('Metadata') }));
  }
};
