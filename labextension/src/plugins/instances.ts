import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { LabIcon } from '@jupyterlab/ui-components';
import { addIcon, deleteIcon, duplicateIcon, editIcon, refreshIcon } from '@jupyterlab/ui-components';
import { CommandIDs } from '../commands';
import type { Instance } from '../generated/api';
import { copyOf } from '../model/copying';
import { CatalogProblem } from '../model/problem';
import { mayDrop } from '../components/may-drop';
import type { SchemaspacesModel } from '../panels/schemaspace/model';
import type { ISchemaspaces } from '../tokens';
import { INSTANCE_ARGUMENTS, textOf } from './arguments';
import type { IPlace } from './instance-outside';
import { placeOf, schemaOf, tellProblem } from './instance-outside';

/** How many names of a copy are tried. */
const COPIES_MOST = 20;

/** How long somebody can undo a removal, in milliseconds. */
const UNDO_MS = 20_000;

const NAME_TAKEN = 409;

/** What can be done with instances, whoever asks. */
class InstanceDeeds {
  constructor(
    private _app: JupyterFrontEnd,
    private _spaces: ISchemaspaces,
    private _model: SchemaspacesModel,
    private _trans: TranslationBundle
  ) {}

  /** Opens the editor of an instance, whatever its schema. */
  async open({ space, name }: IPlace): Promise<void> {
    const instance = await this._spaces.instance(space, name);
    this.edit(space, instance.schema_name, name);
  }

  /** Copies an instance beside itself; its secrets stay behind. */
  async duplicate({ space, name }: IPlace): Promise<void> {
    const trans = this._trans;
    const instance = await this._spaces.instance(space, name);
    const { copy, leftOut } = await this._copied(space, instance);
    void this._model.refreshSection(space);
    const told = trans.__('“%1” was made.', copy.display_name);
    const message = leftOut ? `${told} ${trans.__('Its secrets were not copied: type them anew.')}` : told;
    Notification.success(message, {
      actions: [{ label: trans.__('Edit'), callback: () => this.edit(space, copy.schema_name, copy.name) }]
    });
  }

  /** Removes an instance; that can be undone for a while, and where it cannot a person is asked before. */
  async remove({ space, name }: IPlace): Promise<void> {
    const trans = this._trans;
    const instance = await this._spaces.instance(space, name);
    const title = instance.display_name === '' ? name : instance.display_name;
    if (!instance.deletable) {
      Notification.warning(trans.__('“%1” is of a shared folder: it can be changed, not removed.', title));
      return;
    }
    const undoable = instance.valid && instance.version !== null;
    if (!undoable && !(await this._mayRemove(title))) {
      return;
    }
    const { version, sharedInstanceVisible } = await this._spaces.remove(space, name, instance.version);
    void this._model.refreshSection(space);
    const undo = (): void => {
      if (version !== null) {
        void this._restore(space, name, title, version);
      }
    };
    const told = sharedInstanceVisible
      ? trans.__('“%1” was deleted. A shared one of the same name is there still.', title)
      : trans.__('“%1” was deleted.', title);
    Notification.success(told, {
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
      await this._spaces.restore(space, name, version);
      void this._model.refreshSection(space);
    } catch (reason) {
      tellProblem(reason, this._trans.__('“%1” could not be brought back.', title));
    }
  }

  private _mayRemove(title: string): Promise<boolean> {
    const trans = this._trans;
    const body = trans.__('It is not valid, or not recorded yet, so this cannot be undone.');
    return mayDrop(trans.__('Delete “%1”?', title), body, trans.__('Delete'), trans, trans.__('Cancel'));
  }

  private async _copied(space: string, instance: Instance): Promise<{ copy: Instance; leftOut: boolean }> {
    const trans = this._trans;
    for (let time = 1; ; time++) {
      const title =
        time === 1
          ? trans.__('%1 (copy)', instance.display_name)
          : trans.__('%1 (copy %2)', instance.display_name, time);
      const { document, leftOut } = copyOf(instance, title);
      try {
        return { copy: await this._spaces.create(space, document), leftOut };
      } catch (reason) {
        if (!(reason instanceof CatalogProblem && reason.status === NAME_TAKEN) || time === COPIES_MOST) {
          throw reason;
        }
      }
    }
  }
}

/** What the commands below need of the outside. */
interface IOffer {
  commands: JupyterFrontEnd['commands'];
  spaces: ISchemaspaces;
  model: SchemaspacesModel;
  deeds: InstanceDeeds;
  trans: TranslationBundle;
}

function offerCreation({ commands, spaces, deeds, trans }: IOffer): string {
  commands.addCommand(CommandIDs.createInstance, {
    label: args => (textOf(args, 'title') === '' ? trans.__('Create Instance…') : textOf(args, 'title')),
    caption: trans.__('Make a new instance of a schemaspace'),
    icon: addIcon,
    describedBy: { args: INSTANCE_ARGUMENTS },
    execute: async args => {
      try {
        const wanted = await schemaOf(args, spaces, trans);
        if (wanted !== null) {
          deeds.edit(wanted.space, wanted.schema);
        }
      } catch (reason) {
        tellProblem(reason, trans.__('It is not known what can be created.'));
      }
    }
  });
  return CommandIDs.createInstance;
}

/** Offers a command that is about one instance: the one of its arguments, or the one that a person is at. */
function offerAbout(
  { commands, model }: IOffer,
  command: string,
  looks: { label: string; caption: string; icon: LabIcon; failed: string },
  deed: (place: IPlace) => Promise<void>
): string {
  const { failed, ...shown } = looks;
  commands.addCommand(command, {
    ...shown,
    describedBy: { args: INSTANCE_ARGUMENTS },
    isEnabled: args => placeOf(args, model) !== null,
    execute: async args => {
      const place = placeOf(args, model);
      if (place !== null) {
        await deed(place).catch((reason: unknown) => tellProblem(reason, failed));
      }
    }
  });
  return command;
}

function offerRefreshing({ commands, model, trans }: IOffer): string {
  commands.addCommand(CommandIDs.refreshSchemaspaces, {
    label: trans.__('Refresh Schemaspaces'),
    caption: trans.__('Load schemas and instances anew'),
    icon: refreshIcon,
    describedBy: { args: { type: 'object', properties: { space: INSTANCE_ARGUMENTS.properties.space } } },
    execute: async args => {
      const space = textOf(args, 'space');
      try {
        await model.reload(space === '' ? undefined : space);
      } catch (reason) {
        tellProblem(reason, trans.__('They could not be refreshed.'));
      }
    }
  });
  return CommandIDs.refreshSchemaspaces;
}

/** Offers what can be done with instances as commands; the answer is their ids. */
export function offerInstanceCommands(
  app: JupyterFrontEnd,
  spaces: ISchemaspaces,
  model: SchemaspacesModel,
  trans: TranslationBundle
): string[] {
  const deeds = new InstanceDeeds(app, spaces, model, trans);
  const offer: IOffer = { commands: app.commands, spaces, model, deeds, trans };
  const open = {
    label: trans.__('Edit Instance'),
    caption: trans.__('Open the instance in an editor'),
    icon: editIcon,
    failed: trans.__('It cannot be opened.')
  };
  const duplicate = {
    label: trans.__('Duplicate Instance'),
    caption: trans.__('Make a copy of the instance, without its secrets'),
    icon: duplicateIcon,
    failed: trans.__('It could not be copied.')
  };
  const remove = {
    label: trans.__('Delete Instance'),
    caption: trans.__('Remove the instance; that can be undone'),
    icon: deleteIcon,
    failed: trans.__('It could not be deleted.')
  };
  return [
    offerCreation(offer),
    offerAbout(offer, CommandIDs.openInstance, open, place => deeds.open(place)),
    offerAbout(offer, CommandIDs.duplicateInstance, duplicate, place => deeds.duplicate(place)),
    offerAbout(offer, CommandIDs.deleteInstance, remove, place => deeds.remove(place)),
    offerRefreshing(offer)
  ];
}
