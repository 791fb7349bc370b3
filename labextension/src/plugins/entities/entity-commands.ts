import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Clipboard, Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { copyIcon, pasteIcon } from '@jupyterlab/ui-components';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { CommandIDs } from '../../commands';
import { notifyWarning } from '../../components/notify';
import type { Entity } from '../../generated/api';
import type { Library } from '../../model/notebooks/load-code';
import { canInsertCode } from '../../notebook/application-page';
import type { ICatalog } from '../../tokens';
import { URN_ARGUMENTS, getText, getUrn } from '../arguments';
import { showError } from '../command-targets';

/** The schema of the arguments of the command that inserts code. */
const LOAD_ARGUMENTS = {
  ...URN_ARGUMENTS,
  properties: {
    ...URN_ARGUMENTS.properties,
    library: { enum: ['spark', 'pandas'], description: 'The library that loads the data; by default, spark' }
  }
};

function getLibrary(args: ReadonlyPartialJSONObject): Library {
  return getText(args, 'library') === 'pandas' ? 'pandas' : 'spark';
}

/** Registers the commands for the code of an entity. */
export function registerEntityCommands(
  { commands }: JupyterFrontEnd,
  catalog: ICatalog,
  trans: TranslationBundle
): void {
  const withEntity = async (
    args: ReadonlyPartialJSONObject,
    failed: string,
    run: (entity: Entity) => Promise<void>
  ): Promise<void> => {
    try {
      const aspects = 'businessMetadata,technicalMetadata';
      await run(await catalog.call('readEntity', { urn: getUrn(args), aspects }));
    } catch (reason) {
      showError(reason, failed);
    }
  };
  commands.addCommand(CommandIDs.insertLoadCode, {
    label: trans.__('Insert Code That Loads the Data'),
    caption: trans.__('Insert code that loads the data into the active notebook'),
    icon: pasteIcon,
    describedBy: { args: LOAD_ARGUMENTS },
    isEnabled: args => canInsertCode() && getUrn(args) !== '',
    execute: args =>
      withEntity(args, trans.__('The code could not be inserted.'), async entity => {
        const { createLoadCode } = await import('../../model/notebooks/load-code');
        const snippet = createLoadCode(entity, getLibrary(args));
        if (snippet === null) {
          notifyWarning(trans.__('There is no code for data of this platform.'));
          return;
        }
        await commands.execute(CommandIDs.insertCode, { ...snippet });
      })
  });
  commands.addCommand(CommandIDs.copyMagic, {
    label: trans.__('Copy as %metadata'),
    caption: trans.__('Copy the commands that give an entity its user metadata in a notebook'),
    icon: copyIcon,
    describedBy: { args: URN_ARGUMENTS },
    isEnabled: args => getUrn(args) !== '',
    execute: args =>
      withEntity(args, trans.__('The commands could not be copied.'), async entity => {
        const { createMagic } = await import('../../model/notebooks/load-code');
        const magic = createMagic(entity);
        if (magic === null) {
          notifyWarning(trans.__('%metadata has no name for this entity.'));
          return;
        }
        Clipboard.copyToSystem(magic);
        Notification.info(trans.__('Copied.'), { autoClose: 2000 });
      })
  });
}
