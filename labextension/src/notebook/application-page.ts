import { PageConfig } from '@jupyterlab/coreutils';

/** The pages of Notebook 7 whose document takes code. */
const EDITOR_PAGES: readonly string[] = ['notebooks', 'edit', 'consoles'];

/** The page of Notebook 7, such as `tree`, which lists the files; empty in JupyterLab, which has one page. */
function getNotebookPage(): string {
  return PageConfig.getOption('notebookPage');
}

/** Whether each document has a page of its own, as in Notebook 7. */
export function hasDocumentPages(): boolean {
  return getNotebookPage() !== '';
}

/** Whether the page can show a document into which code is inserted. */
export function canInsertCode(): boolean {
  return !hasDocumentPages() || EDITOR_PAGES.includes(getNotebookPage());
}

/** Returns the path of the page that the application starts with, relative to the base URL. */
export function getStartPage(): string {
  return hasDocumentPages() ? 'tree' : PageConfig.getOption('appUrl') || 'lab';
}
