import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { editIcon } from '@jupyterlab/ui-components';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { CommandIDs, DOMAIN } from '../../commands';
import { notifyError } from '../../components/notify';
import { metadataIcon } from '../../icons';
import type { IBulkResult } from '../../model/editing/bulk-edit';
import { shortenUrn } from '../../model/urns';
import type { BulkEditPanel } from '../../panels/bulk-edit';
import { IMetadataService } from '../../tokens';
import { URN_ARGUMENTS, getText, getUrn } from '../arguments';
import { showError } from '../command-targets';
import { PanelTab, activateTab, addTab } from '../application/tabs';

/** How long a notification with the button *Undo* is shown, in ms; it remains in the list of notifications. */
const SHOWN_MS = 10_000;

function getUrns(args: ReadonlyPartialJSONObject): readonly string[] {
  const urns = args['urns'];
  return Array.isArray(urns) ? urns.filter(urn => typeof urn === 'string') : [];
}

/** Registers the command that edits the tags and the owner of several entities. */
function registerBulkEdit(app: JupyterFrontEnd, metadata: IMetadataService, trans: TranslationBundle): void {
  let opened = 0;
  app.commands.addCommand(CommandIDs.editEntities, {
    label: trans.__('Edit Tags and Owner of Entities'),
    caption: trans.__('Change the tags and the owner of several entities, with a preview'),
    icon: editIcon,
    describedBy: {
      args: {
        type: 'object',
        properties: { urns: { type: 'array', items: { type: 'string' }, description: 'The URNs of the entities' } },
        required: ['urns']
      }
    },
    isEnabled: args => getUrns(args).length > 0,
    execute: args => {
      const urns = getUrns(args);
      const label = trans._n('Edit %1 entity', 'Edit %1 entities', urns.length);
      const loadPanel = async (): Promise<BulkEditPanel> => {
        const panels = await import('../../panels/bulk-edit');
        return new panels.BulkEditPanel(new panels.BulkEditModel(metadata, urns), metadata.openEntity, trans);
      };
      const tab = new PanelTab({ label, caption: label, icon: metadataIcon }, loadPanel, trans);
      tab.id = `jp-colophon-bulk-edit-${++opened}`;
      addTab(app.shell, tab, 'Metadata');
      activateTab(app.shell, tab);
      return tab;
    }
  });
}

/** Registers the command that adds a tag to an entity; without a URN, it asks for the entity. */
function registerAddTag({ commands }: JupyterFrontEnd, metadata: IMetadataService, trans: TranslationBundle): void {
  const undo = async (result: IBulkResult, name: string): Promise<void> => {
    const { undoChange } = await import('../../model/editing/bulk-edit');
    const [outcome] = await undoChange(metadata, result.applied);
    if (outcome?.problem) {
      notifyError(trans.__('%1 was changed again in the meantime, and is not restored.', name));
    }
  };
  const addTag = async (tag: string, urn: string): Promise<void> => {
    const { applyChange, NO_CHANGE, previewChange } = await import('../../model/editing/bulk-edit');
    const change = { ...NO_CHANGE, addedTags: [tag] };
    const name = shortenUrn(urn);
    const preview = await previewChange(metadata, [urn], change);
    const result = await applyChange(metadata, preview, change);
    const problem = preview[0]?.problem ?? result.outcomes[0]?.problem;
    if (problem) {
      const reasons = problem.errors.map(({ message }) => message);
      notifyError(trans.__('%1 was not tagged.', name), problem.detail, ...reasons);
    } else if (result.applied.length === 0) {
      Notification.info(trans.__('%1 has the tag %2 already.', name, tag), { autoClose: SHOWN_MS });
    } else {
      Notification.success(trans.__('%1 was tagged %2.', name, tag), {
        autoClose: SHOWN_MS,
        actions: [{ label: trans.__('Undo'), callback: () => void undo(result, name) }]
      });
    }
  };
  commands.addCommand(CommandIDs.addTag, {
    label: trans.__('Add Tag to a Table or Column…'),
    caption: trans.__('Add a tag to an entity that is chosen by its name'),
    icon: metadataIcon,
    describedBy: {
      args: {
        type: 'object',
        properties: {
          tag: { type: 'string', description: 'The tag' },
          urn: { type: 'string', description: 'The URN of the entity; by default, it is asked for' }
        },
        required: ['tag']
      }
    },
    isEnabled: args => getText(args, 'tag') !== '',
    execute: async args => {
      const tag = getText(args, 'tag');
      try {
        const { pickEntity } = await import('../../panels/picker');
        const title = trans.__('Add the tag %1 to…', tag);
        const urn = getUrn(args) || (await pickEntity(metadata, title, { okLabel: trans.__('Add') }, trans));
        if (urn !== null) {
          await addTag(tag, urn);
        }
      } catch (reason) {
        showError(reason, trans.__('The tag could not be added.'));
      }
    }
  });
}

/** Registers the commands that delete an entity, after they show what depends on it, and that restore it. */
function registerDeletion({ commands }: JupyterFrontEnd, metadata: IMetadataService, trans: TranslationBundle): void {
  const isEnabled = (args: ReadonlyPartialJSONObject): boolean => getUrn(args) !== '';
  const describedBy = { args: URN_ARGUMENTS };
  const restore = async (urn: string): Promise<void> => {
    try {
      const { writeRemoved } = await import('../../panels/deletion');
      await writeRemoved(metadata, urn, false);
      Notification.success(trans.__('%1 was restored.', shortenUrn(urn)), { autoClose: SHOWN_MS });
    } catch (reason) {
      showError(reason, trans.__('The entity could not be restored.'));
    }
  };
  commands.addCommand(CommandIDs.deleteEntity, {
    label: trans.__('Delete Entity…'),
    caption: trans.__('Show what depends on an entity, and delete it from the catalog'),
    describedBy,
    isEnabled,
    execute: async args => {
      const urn = getUrn(args);
      try {
        const { confirmAndDelete } = await import('../../panels/deletion');
        const deletion = await confirmAndDelete(metadata, urn, trans);
        if (deletion !== 'cancelled') {
          Notification.success(trans.__('%1 was deleted from the catalog.', shortenUrn(urn)), {
            autoClose: SHOWN_MS,
            actions: deletion === 'undoable' ? [{ label: trans.__('Undo'), callback: () => void restore(urn) }] : []
          });
        }
      } catch (reason) {
        showError(reason, trans.__('The entity could not be deleted.'));
      }
    }
  });
  commands.addCommand(CommandIDs.restoreEntity, {
    label: trans.__('Restore Deleted Entity'),
    caption: trans.__('Make a deleted entity visible again'),
    describedBy,
    isEnabled,
    execute: args => restore(getUrn(args))
  });
}

export const entityEdits: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:entity-edits',
  description: 'Commands that edit several entities, add a tag, and delete an entity.',
  autoStart: true,
  requires: [IMetadataService],
  optional: [ITranslator],
  activate: (app: JupyterFrontEnd, metadata: IMetadataService, translator: ITranslator | null) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    registerBulkEdit(app, metadata, trans);
    registerAddTag(app, metadata, trans);
    registerDeletion(app, metadata, trans);
  }
};
