import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IPageContext } from '../../plugins/administration/settings-page';
import type { IMetadataService } from '../../tokens';
import type { IApplicationsActions } from '.';
import { formatItem } from '../app-panel/item';

/** Creates the actions of the page, which ask in dialogs and open tabs by the command of the page. */
export function createActions(
  metadata: IMetadataService,
  { app, command }: IPageContext,
  trans: TranslationBundle
): IApplicationsActions {
  return {
    confirmDisabling: async name => {
      const { button } = await showDialog({
        title: trans.__('Disable %1?', name),
        body: trans.__(
          'Its calls are refused in all servers of the store, and its panels are not shown. Its tables are kept.'
        ),
        buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Disable') })],
        defaultButton: 0
      });
      return button.accept;
    },
    confirmDeletion: async ({ namespace, name, version }) => {
      const { button } = await showDialog({
        title: trans.__('Delete the artifact %1 %2 of %3?', name, version, namespace),
        body: trans.__(
          'Pipelines and applications that use its plugins fail from now on, unless they name another version.'
        ),
        buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Delete') })],
        defaultButton: 0
      });
      return button.accept;
    },
    confirmDroppingTables: async name => {
      const { button } = await showDialog({
        title: trans.__('Delete the tables of %1?', name),
        body: trans.__(
          'All that the application has stored is deleted: tables, files, schedules and events. This cannot be undone.'
        ),
        buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Delete') })],
        defaultButton: 0
      });
      return button.accept;
    },
    confirmDrop: async ({ number, listener }) => {
      const { button } = await showDialog({
        title: trans.__('Drop event %1 of %2?', number, listener),
        body: trans.__('The listener never handles it, and continues with later events of the entity.'),
        buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Drop') })],
        defaultButton: 0
      });
      return button.accept;
    },
    openEntity: urn => metadata.openEntity(urn),
    openPanel: panel => void app.commands.execute(command, { item: formatItem(panel), label: panel.title })
  };
}
