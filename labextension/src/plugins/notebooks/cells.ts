import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../../commands';
import { followLink } from '../../links';
import { CELL_PARAMETERS, toCellPlace } from '../../notebook/cell-link';
import { IMetadataService } from '../../tokens';
import { getText } from '../arguments';
import { showError } from '../command-targets';

const CELL_ARGUMENTS = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'The path of the notebook' },
    cell: { type: 'string', description: 'The id of the cell' },
    run: { type: 'string', description: 'The URN of a run of the cell' }
  },
  anyOf: [{ required: ['path'] }, { required: ['run'] }]
};

export const cells: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:cells',
  description: 'Opens notebooks at the cells that runs started from.',
  autoStart: true,
  requires: [IMetadataService],
  optional: [ITranslator],
  activate: (app: JupyterFrontEnd, metadata: IMetadataService, translator: ITranslator | null) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    app.commands.addCommand(CommandIDs.openCell, {
      label: trans.__('Open Cell'),
      caption: trans.__('Open the notebook at the cell that started a run'),
      describedBy: { args: CELL_ARGUMENTS },
      isEnabled: args => getText(args, 'path') !== '' || getText(args, 'run') !== '',
      execute: async args => {
        const [path, cell, run] = ['path', 'cell', 'run'].map(member => getText(args, member) || undefined);
        try {
          const { openCell } = await import('../../notebook/open-cell');
          await openCell({ path, cell, run }, { app, metadata, trans });
        } catch (reason) {
          showError(reason, trans.__('The cell could not be opened.'));
        }
      }
    });
    void followLink(app, CELL_PARAMETERS, parameters =>
      app.commands.execute(CommandIDs.openCell, { ...toCellPlace(parameters) })
    );
  }
};
