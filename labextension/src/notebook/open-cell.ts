import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { formatTime } from '../components/labels';
import { notifyError, notifyWarning } from '../components/notify';
import type { ICellPlace, IResolvedCell } from '../model/notebooks/cell-place';
import { resolveCell } from '../model/notebooks/cell-place';
import { toProblem } from '../model/problem';
import { hashSource } from '../model/notebooks/source-hash';
import type { IMetadataService } from '../tokens';
import { hasDocumentPages } from './application-page';
import { createCellLink } from './cell-link';
import type { INotebookWidget } from './notebooks';
import { findNotebook, openNotebook } from './notebooks';

const FLASH_CLASS = 'jp-Colophon-flash';
const FLASH_MS = 2000;

/** What opening a cell uses. */
interface ICellServices {
  app: JupyterFrontEnd;
  metadata: IMetadataService;
  trans: TranslationBundle;
}

/** Returns the index of a cell: by its id, else by the source that ran; -1 if it is gone. */
async function findCell({ content }: INotebookWidget, { cell, run }: IResolvedCell): Promise<number> {
  const index = content.widgets.findIndex(({ model }) => model.id === cell);
  if (index >= 0 || run?.facts.sourceHash === undefined) {
    return index;
  }
  const hashes = await Promise.all(content.widgets.map(async ({ model }) => hashSource(model.sharedModel.getSource())));
  return hashes.indexOf(run.facts.sourceHash);
}

/** Selects a cell, scrolls to it and highlights it for a moment. */
async function selectCell({ content }: INotebookWidget, index: number): Promise<void> {
  content.deselectAll();
  content.activeCellIndex = index;
  await content.scrollToItem(index, 'center');
  content.activate();
  const node = content.widgets[index]?.node;
  node?.classList.add(FLASH_CLASS);
  window.setTimeout(() => node?.classList.remove(FLASH_CLASS), FLASH_MS);
}

/** Shows that a cell is not as it was in the run, and offers the page of the run. */
function notify(message: string, { run }: IResolvedCell, { metadata, trans }: ICellServices): void {
  const text = run ? [message, trans.__('It ran on %1.', formatTime(run.start))].join(' ') : message;
  const actions = run ? [{ label: trans.__('Open run'), callback: () => metadata.openEntity(run.urn) }] : [];
  Notification.warning(text, { actions, autoClose: 10_000 });
}

async function exists({ serviceManager }: JupyterFrontEnd, path: string): Promise<boolean> {
  return serviceManager.contents.get(path, { content: false }).then(
    () => true,
    () => false
  );
}

/** Opens the page of the notebook, where documents have their own pages; returns whether it is another page. */
function openPage({ shell }: JupyterFrontEnd, { path, cell, run }: IResolvedCell): boolean {
  const isOther = hasDocumentPages() && findNotebook(shell, path) === undefined;
  if (isOther) {
    window.open(createCellLink({ path, cell, run: run?.urn }), '_blank', 'noopener');
  }
  return isOther;
}

/** Selects the cell in its notebook; notifies if it is gone, or has changed since the run. */
async function showInNotebook(
  notebook: INotebookWidget,
  resolved: IResolvedCell,
  services: ICellServices
): Promise<void> {
  const { trans } = services;
  const index = await findCell(notebook, resolved);
  const source = notebook.content.widgets[index]?.model.sharedModel.getSource();
  if (source === undefined) {
    notify(trans.__('The cell is no longer in “%1”.', resolved.path), resolved, services);
    return;
  }
  await selectCell(notebook, index);
  const recorded = resolved.run?.facts.sourceHash;
  const hash = recorded === undefined ? undefined : await hashSource(source);
  if (hash !== undefined && hash !== recorded) {
    notify(trans.__('This cell has changed since this run.'), resolved, services);
  }
}

async function showCell(resolved: IResolvedCell, services: ICellServices): Promise<void> {
  const { app, trans } = services;
  const { path, cell } = resolved;
  if (!(await exists(app, path))) {
    notify(trans.__('The notebook “%1” does not exist any more.', path), resolved, services);
    return;
  }
  const notebook = openPage(app, resolved) ? null : await openNotebook(app, path);
  if (notebook !== null && cell !== undefined) {
    await showInNotebook(notebook, resolved, services);
  }
}

/** Opens a notebook at a cell; notifications show what is missing or has changed since the run. */
export async function openCell(place: ICellPlace, services: ICellServices): Promise<void> {
  const { metadata, trans } = services;
  try {
    const resolved = await resolveCell(metadata, place);
    if (resolved === null) {
      notifyWarning(trans.__('This run did not start in a notebook.'));
      return;
    }
    await showCell(resolved, services);
  } catch (reason) {
    notifyError(trans.__('The cell cannot be opened.'), toProblem(reason).message);
  }
}
