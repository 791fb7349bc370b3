import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IEditorServices } from '@jupyterlab/codeeditor';
import { IFormRendererRegistry } from '@jupyterlab/ui-components';
import { IFormTools } from '../../tokens';

export const forms: JupyterFrontEndPlugin<IFormTools> = {
  id: 'jupyter-colophon:forms',
  description: 'The editors and renderers of the forms for aspects and instances.',
  autoStart: true,
  provides: IFormTools,
  optional: [IEditorServices, IFormRendererRegistry],
  activate: (_, editors: IEditorServices | null, renderers: IFormRendererRegistry | null) => ({ editors, renderers })
};
