import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { LabIcon } from '@jupyterlab/ui-components';
import { addIcon, deleteIcon, duplicateIcon, editIcon, refreshIcon } from '@jupyterlab/ui-components';
import { CommandIDs } from '../../commands';
import type { Instance } from '../../generated/api';
import { CatalogProblem } from '../../model/problem';
import { confirmDiscard } from '../../components/confirm-discard';
import { notifyWarning } from '../../components/notify';
import type { SchemaspacesModel } from '../../panels/schemaspace/model';
import type { ISchemaspaces } from '../../tokens';
import { INSTANCE_ARGUMENTS, getText } from '../arguments';
import type { IInstanceName } from '../command-targets';
import { resolveInstance, resolveSchema, showError } from '../command-targets';

/** Maximum number of names to try for a copy. */
const MAX_COPIES = 20;

/** How long a new copy is shown with a button that opens it, in milliseconds. */
const SHOWN_MS = 10_000;

/** How long a deletion can be undone, in milliseconds. */
const UNDO_MS = 20_000;

const NAME_TAKEN = 409;

/** The actions on instances. */
class InstanceActions {
  constructor(
    private _app: JupyterFrontEnd,
    private _spaces: ISchemaspaces,
    private _model: SchemaspacesModel,
    private _trans: TranslationBundle
  ) {}

  /** Opens the editor of an instance, whatever its schema. */
  async open({ space, name }: IInstanceName): Promise<void> {
    const instance = await this._spaces.readInstance(space, name);
    this.edit(space, instance.schema_name, name);
  }

  /** Copies an instance, without its secrets. */
  async duplicate({ space, name }: IInstanceName): Promise<void> {
    const trans = this._trans;
    const instance = await this._spaces.readInstance(space, name);
    const { copy, omittedSecrets } = await this._createCopy(space, instance);
    void this._model.refreshSection(space);
    const created = trans.__('“%1” was created.', copy.display_name);
    const message = omittedSecrets
      ? `${created} ${trans.__('Its secrets were not copied: enter them again.')}`
      : created;
    Notification.success(message, {
      autoClose: SHOWN_MS,
      actions: [{ label: trans.__('Edit'), callback: () => this.edit(space, copy.schema_name, copy.name) }]
    });
  }

  /** Deletes an instance, with a button to undo it; asks for confirmation if it cannot be undone. */
  async remove({ space, name }: IInstanceName): Promise<void> {
    const trans = this._trans;
    const instance = await this._spaces.readInstance(space, name);
    const title = instance.display_name === '' ? name : instance.display_name;
    if (!instance.deletable) {
      notifyWarning(trans.__('“%1” is in a shared folder: it can be changed, but not deleted.', title));
      return;
    }
    const undoable = instance.valid && instance.version !== null;
    if (!undoable && !(await this._confirmDelete(title))) {
      return;
    }
    const { version, sharedInstanceVisible } = await this._spaces.deleteInstance(space, name, instance.version);
    void this._model.refreshSection(space);
    const undo = (): void => {
      if (version !== null) {
        void this._restore(space, name, title, version);
      }
    };
    const deleted = sharedInstanceVisible
      ? trans.__('“%1” was deleted. The shared instance with this name is now visible again.', title)
      : trans.__('“%1” was deleted.', title);
    Notification.success(deleted, {
      autoClose: UNDO_MS,
      actions: undoable && version !== null ? [{ label: trans.__('Undo'), callback: undo }] : []
    });
  }

  edit(space: string, schema: string, name?: string): void {
    const args = name === undefined ? { space, schema } : { space, schema, name };
    void this._app.commands.execute(CommandIDs.editInstance, args);
  }

  private async _restore(space: string, name: string, title: string, version: number): Promise<void> {
    try {
      await this._spaces.restoreVersion(space, name, version);
      void this._model.refreshSection(space);
    } catch (reason) {
      showError(reason, this._trans.__('“%1” could not be restored.', title));
    }
  }

  private _confirmDelete(title: string): Promise<boolean> {
    const trans = this._trans;
    const body = trans.__('This cannot be undone, because the instance is invalid or not recorded in the catalog.');
    return confirmDiscard(trans.__('Delete “%1”?', title), body, trans.__('Delete'), trans, trans.__('Cancel'));
  }

  private async _createCopy(space: string, instance: Instance): Promise<{ copy: Instance; omittedSecrets: boolean }> {
    const trans = this._trans;
    const { copyInstance } = await import('../../model/instances/copy-instance');
    for (let time = 1; ; time++) {
      const title =
        time === 1
          ? trans.__('%1 (copy)', instance.display_name)
          : trans.__('%1 (copy %2)', instance.display_name, time);
      const { document, omittedSecrets } = copyInstance(instance, title);
      try {
        return { copy: await this._spaces.createInstance(space, document), omittedSecrets };
      } catch (reason) {
        if (!(reason instanceof CatalogProblem && reason.status === NAME_TAKEN) || time === MAX_COPIES) {
          throw reason;
        }
      }
    }
  }
}

/** The context of the commands below. */
interface ICommandContext {
  commands: JupyterFrontEnd['commands'];
  spaces: ISchemaspaces;
  model: SchemaspacesModel;
  actions: InstanceActions;
  trans: TranslationBundle;
}

function registerCreateCommand({ commands, spaces, actions, trans }: ICommandContext): string {
  commands.addCommand(CommandIDs.createInstance, {
    label: args => (getText(args, 'title') === '' ? trans.__('Create Instance…') : getText(args, 'title')),
    caption: trans.__('Create an instance of a schemaspace'),
    icon: addIcon,
    describedBy: { args: INSTANCE_ARGUMENTS },
    execute: async args => {
      try {
        const target = await resolveSchema(args, spaces, trans);
        if (target !== null) {
          actions.edit(target.space, target.schema);
        }
      } catch (reason) {
        showError(reason, trans.__('The schemas could not be loaded.'));
      }
    }
  });
  return CommandIDs.createInstance;
}

/** Registers a command for one instance: that of its arguments, or the focused one. */
function registerInstanceCommand(
  { commands, model }: ICommandContext,
  command: string,
  texts: { label: string; caption: string; icon: LabIcon; failed: string },
  run: (place: IInstanceName) => Promise<void>
): string {
  const { failed, ...shown } = texts;
  commands.addCommand(command, {
    ...shown,
    describedBy: { args: INSTANCE_ARGUMENTS },
    isEnabled: args => resolveInstance(args, model) !== null,
    execute: async args => {
      const place = resolveInstance(args, model);
      if (place !== null) {
        await run(place).catch((reason: unknown) => showError(reason, failed));
      }
    }
  });
  return command;
}

function registerRefreshCommand({ commands, model, trans }: ICommandContext): string {
  commands.addCommand(CommandIDs.refreshSchemaspaces, {
    label: trans.__('Refresh Schemaspaces'),
    caption: trans.__('Reload schemas and instances, and show them'),
    icon: refreshIcon,
    describedBy: { args: { type: 'object', properties: { space: INSTANCE_ARGUMENTS.properties.space } } },
    execute: async args => {
      const space = getText(args, 'space');
      try {
        if (!model.isShown) {
          await commands.execute(CommandIDs.showSchemaspaces);
        }
        await model.reloadSchemas(space === '' ? undefined : space);
      } catch (reason) {
        showError(reason, trans.__('Refreshing failed.'));
      }
    }
  });
  return CommandIDs.refreshSchemaspaces;
}

/** Registers the commands for instances; returns their ids. */
export function registerInstanceCommands(
  app: JupyterFrontEnd,
  spaces: ISchemaspaces,
  model: SchemaspacesModel,
  trans: TranslationBundle
): string[] {
  const actions = new InstanceActions(app, spaces, model, trans);
  const context: ICommandContext = { commands: app.commands, spaces, model, actions, trans };
  const open = {
    label: trans.__('Edit Instance'),
    caption: trans.__('Open the instance in an editor'),
    icon: editIcon,
    failed: trans.__('The instance could not be opened.')
  };
  const duplicate = {
    label: trans.__('Duplicate Instance'),
    caption: trans.__('Copy the instance, without its secrets'),
    icon: duplicateIcon,
    failed: trans.__('The instance could not be copied.')
  };
  const remove = {
    label: trans.__('Delete Instance'),
    caption: trans.__('Delete the instance; this can be undone'),
    icon: deleteIcon,
    failed: trans.__('The instance could not be deleted.')
  };
  return [
    registerCreateCommand(context),
    registerInstanceCommand(context, CommandIDs.openInstance, open, place => actions.open(place)),
    registerInstanceCommand(context, CommandIDs.duplicateInstance, duplicate, place => actions.duplicate(place)),
    registerInstanceCommand(context, CommandIDs.deleteInstance, remove, place => actions.remove(place)),
    registerRefreshCommand(context)
  ];
}
