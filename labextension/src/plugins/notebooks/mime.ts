import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IThemeManager } from '@jupyterlab/apputils';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandIDs, DOMAIN } from '../../commands';
import { LineageOutput } from '../../mime/output';
import { PageOutput } from '../../mime/page-output';
import { createOpeners } from '../openers';

export const mime: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:mime',
  description: 'Draws lineage graphs in notebook outputs, and links the names and tags in those of %metadata.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [ITranslator, IThemeManager],
  activate: (
    app: JupyterFrontEnd,
    registry: IRenderMimeRegistry,
    translator: ITranslator | null,
    themes: IThemeManager | null
  ) => {
    const outside = {
      trans: (translator ?? nullTranslator).load(DOMAIN),
      themeChanged: themes?.themeChanged ?? null,
      ...createOpeners(app.commands)
    };
    // Before the HTML and the picture in the same output, which are for frontends without this extension.
    const rank = 0;
    registry.addFactory(
      {
        safe: true,
        mimeTypes: ['application/vnd.jupyter-colophon.lineage.v1+json'],
        createRenderer: options => new LineageOutput(options.mimeType, outside)
      },
      rank
    );
    const { openEntity } = outside;
    const search = (query: string): void => void app.commands.execute(CommandIDs.showSearch, { query });
    registry.addFactory(
      {
        safe: true,
        mimeTypes: ['application/vnd.jupyter-colophon.page.v1+json'],
        createRenderer: options => new PageOutput(options.mimeType, { openEntity, search }, outside.trans)
      },
      rank
    );
  }
};
