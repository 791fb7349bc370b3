import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import React from 'react';
import { CommandIDs, DOMAIN } from '../../commands';
import { CurrentNotebook } from '../../notebook/current-notebook';
import type { ISearchSectionProps } from '../../tokens';
import { ISearchSectionRegistry } from '../../tokens';

export const notebookSection: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:notebook-section',
  description: 'The section of the search panel with what the current notebook reads and writes.',
  autoStart: true,
  requires: [ISearchSectionRegistry],
  optional: [ITranslator],
  activate: (app: JupyterFrontEnd, sections: ISearchSectionRegistry, translator: ITranslator | null) => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const notebook = new CurrentNotebook(app);
    const runStaleCells = (): void =>
      void app.commands.execute(CommandIDs.runStaleCells, { path: notebook.widget?.context.path ?? '' });
    const component = React.lazy(async () => {
      const { NotebookSection } = await import('../../panels/search/notebook-section');
      return {
        default: ({ metadata }: ISearchSectionProps) =>
          React.createElement(NotebookSection, { notebook, metadata, runStaleCells, trans })
      };
    });
    sections.add({ id: 'jupyter-colophon:this-notebook', rank: 100, title: trans.__('In this notebook'), component });
  }
};
