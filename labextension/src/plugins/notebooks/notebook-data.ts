import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, IToolbarWidgetRegistry } from '@jupyterlab/apputils';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';
import { CommandIDs, DOMAIN } from '../../commands';
import { NotebookDataModel } from '../../model/notebooks/notebook-data';
import { CellBadges } from '../../notebook/cell-badges';
import { DataButton } from '../../notebook/data-button';
import type { INotebookWidget } from '../../notebook/notebooks';
import { IMetadataService } from '../../tokens';
import { getText, getUrn } from '../arguments';
import { showError } from '../command-targets';

/** JupyterLab's name for the widgets of notebooks, and our name for the button in their toolbars. */
const [FACTORY, BUTTON] = ['Notebook', 'colophon-data'];

const PATH_ARGUMENTS = {
  type: 'object',
  properties: { path: { type: 'string', description: 'The path of an open notebook, by default the current one' } }
};

const DATA_ARGUMENTS = {
  type: 'object',
  properties: {
    urn: { type: 'string', description: 'The URN of the data' },
    label: { type: 'string', description: 'The label of the item in the menu' }
  },
  required: ['urn']
};

export const notebookData: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:notebook-data',
  description: 'A button in the toolbar of notebooks and badges of cells that show which data they read and write.',
  autoStart: true,
  requires: [IMetadataService],
  optional: [ITranslator, IToolbarWidgetRegistry, ISettingRegistry, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    metadata: IMetadataService,
    translator: ITranslator | null,
    toolbars: IToolbarWidgetRegistry | null,
    registry: ISettingRegistry | null,
    palette: ICommandPalette | null
  ) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const { commands, docRegistry, serviceManager } = app;
    const models = new WeakMap<Widget, NotebookDataModel>();
    /** Returns the model that the button and the badges of a notebook share. */
    const getModel = (notebook: INotebookWidget): NotebookDataModel => {
      const getPath = (): string => serviceManager.contents.localPath(notebook.context.path);
      const model = models.get(notebook) ?? new NotebookDataModel(metadata, metadata.feed, getPath());
      if (!models.has(notebook)) {
        models.set(notebook, model);
        notebook.context.pathChanged.connect(() => model.setPath(getPath()), model);
        notebook.disposed.connect(() => model.dispose());
        // After the notebook, which the request must not delay.
        void notebook.context.ready.then(() => model.show());
      }
      return model;
    };
    const addStaleBadges = async (notebook: INotebookWidget): Promise<void> => {
      const { StaleBadges } = await import('../../notebook/stale-badges');
      if (!notebook.isDisposed) {
        const badges = new StaleBadges(notebook, getModel(notebook), metadata, commands, trans);
        notebook.disposed.connect(() => badges.dispose());
      }
    };
    commands.addCommand(CommandIDs.openNotebookData, {
      label: args => getText(args, 'label') || trans.__('Open Data of Notebook'),
      caption: trans.__('Open the page of data that a notebook reads or writes'),
      describedBy: { args: DATA_ARGUMENTS },
      isEnabled: args => getUrn(args) !== '',
      execute: args => metadata.openEntity(getUrn(args))
    });
    commands.addCommand(CommandIDs.runStaleCells, {
      label: trans.__('Run Stale Cells'),
      caption: trans.__('Run the cells whose inputs were written since they ran, from top to bottom'),
      describedBy: { args: PATH_ARGUMENTS },
      execute: async args => {
        try {
          const { runStaleCells } = await import('../../notebook/run-stale-cells');
          await runStaleCells(app, getText(args, 'path'), metadata, trans);
        } catch (reason) {
          showError(reason, trans.__('The stale cells could not be run.'));
        }
      }
    });
    palette?.addItem({ command: CommandIDs.runStaleCells, category: trans.__('Metadata') });
    toolbars?.addFactory(FACTORY, BUTTON, widget => {
      return new DataButton(getModel(widget as INotebookWidget), commands, trans);
    });
    const settings = registry?.load(notebookData.id).catch(() => null);
    docRegistry.addWidgetExtension(FACTORY, {
      createNew: widget => {
        const notebook = widget as unknown as INotebookWidget;
        void settings?.then(loaded => {
          if (loaded?.get('cellBadges').composite !== false && !notebook.isDisposed) {
            const badges = new CellBadges(notebook, getModel(notebook), commands, trans);
            notebook.disposed.connect(() => badges.dispose());
          }
          if (loaded?.get('staleBadges').composite !== false) {
            void notebook.context.ready.then(() => addStaleBadges(notebook));
          }
        });
      }
    });
  }
};
