import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IThemeManager } from '@jupyterlab/apputils';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { DOMAIN } from '../commands';
import { LineageOutput } from '../mime/output';
import { openersOf } from './openers';

export const mime: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-colophon:mime',
  description: 'Draws lineage in the output of a notebook.',
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
      ...openersOf(app.commands)
    };
    // Before the HTML and the picture that the same output brings for those who have no Colophon.
    const rank = 0;
    registry.addFactory(
      {
        safe: true,
        mimeTypes: ['application/vnd.jupyter-colophon.lineage.v1+json'],
        createRenderer: options => new LineageOutput(options.mimeType, outside)
      },
      rank
    );
  }
};
