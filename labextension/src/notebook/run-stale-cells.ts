import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { readStaleCells } from '../model/notebooks/cell-states';
import type { ICatalog } from '../tokens';
import { listCellIds } from './cell-list';
import type { INotebookWidget } from './notebooks';
import { findNotebook, isNotebook } from './notebooks';

/** Returns the open notebook at a path, by default the current one; undefined if there is none. */
function resolveNotebook({ shell }: JupyterFrontEnd, path: string): INotebookWidget | undefined {
  const current = shell.currentWidget;
  return path === '' && isNotebook(current) ? current : findNotebook(shell, path);
}

/** Runs the stale cells of a notebook from top to bottom, by default of the current one; after a cell that fails, none. */
export async function runStaleCells(
  app: JupyterFrontEnd,
  path: string,
  catalog: ICatalog,
  trans: TranslationBundle
): Promise<void> {
  const notebook = resolveNotebook(app, path);
  if (notebook === undefined) {
    return;
  }
  const { content, context } = notebook;
  const localPath = app.serviceManager.contents.localPath(context.path);
  const stale = new Set((await readStaleCells(catalog, localPath, listCellIds(notebook))).map(({ cell }) => cell));
  const cells = content.widgets.filter(({ model }) => stale.has(model.id));
  const [first] = cells;
  if (first === undefined) {
    Notification.info(trans.__('No cell of this notebook is stale.'), { autoClose: 3000 });
    return;
  }
  app.shell.activateById(notebook.id);
  content.deselectAll();
  content.activeCellIndex = content.widgets.indexOf(first);
  cells.forEach(cell => content.select(cell));
  await app.commands.execute('notebook:run-cell');
}
