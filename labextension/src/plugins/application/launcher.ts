import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILauncher } from '@jupyterlab/launcher';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../../commands';

export const launcher: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:launcher',
  description: 'The cards of the launcher that open the metadata.',
  autoStart: true,
  optional: [ILauncher, ITranslator],
  activate: (_: JupyterFrontEnd, cards: ILauncher | null, translator: ITranslator | null) => {
    const category = (translator ?? nullTranslator).load(DOMAIN).__('Metadata');
    [CommandIDs.showSearch, CommandIDs.pickLineage].forEach((command, rank) => {
      cards?.add({ command, category, rank });
    });
  }
};
