import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IEditorServices } from '@jupyterlab/codeeditor';
import { IFormRendererRegistry } from '@jupyterlab/ui-components';
import { registerFields } from '../forms/renderers';
import { IFormTools } from '../tokens';

export const forms: JupyterFrontEndPlugin<IFormTools> = {
  id: 'jupyter-colophon:forms',
  description: 'The editors and renderers of the forms for aspects and instances.',
  autoStart: true,
  provides: IFormTools,
  optional: [IEditorServices, IFormRendererRegistry],
  activate: (app: JupyterFrontEnd, editors: IEditorServices | null, renderers: IFormRendererRegistry | null) => {
    // After all plugins: an extension that replaces a field registers it while JupyterLab starts.
    void app.restored.then(() => renderers && registerFields(renderers));
    return { editors, renderers };
  }
};
