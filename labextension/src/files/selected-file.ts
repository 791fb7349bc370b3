import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { Widget } from '@lumino/widgets';

/**
 * The part of JupyterLab's file browser that is used here.
 *
 * It is recognised by its member, because the package of file browsers is no dependency of this extension.
 */
interface IFileBrowser extends Widget {
  selectedItems(): IterableIterator<{ readonly path: string }>;
}

function isFileBrowser(widget: Widget): widget is IFileBrowser {
  return 'selectedItems' in widget && typeof widget.selectedItems === 'function';
}

function* listWidgets(widgets: Iterable<Widget>): Iterable<Widget> {
  for (const widget of widgets) {
    yield widget;
    yield* listWidgets(widget.children());
  }
}

/** Returns the path of the selected file in the visible file browser, relative to the server's root; null for none. */
export function getSelectedPath({ shell, serviceManager }: JupyterFrontEnd): string | null {
  for (const area of ['left', 'main', 'right']) {
    for (const widget of listWidgets(shell.widgets(area))) {
      const [selected] = isFileBrowser(widget) && widget.isVisible ? widget.selectedItems() : [];
      if (selected !== undefined) {
        return serviceManager.contents.localPath(selected.path);
      }
    }
  }
  return null;
}
