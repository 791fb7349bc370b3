import type { INotebookWidget } from './notebooks';

/** Returns the ids of the cells of a notebook from top to bottom; null before it is loaded. */
export function listCellIds({ content }: INotebookWidget): string[] | null {
  return content.model === null ? null : content.widgets.map(({ model }) => model.id);
}

/** Returns a function that returns the prompt of a cell by its id, such as `[3]`; undefined for a cell that did not run. */
export function labelCells({ content }: INotebookWidget): (id: string) => string | undefined {
  const counts = new Map(content.widgets.map(({ model }) => [model.id, model.executionCount]));
  return id => (typeof counts.get(id) === 'number' ? `[${counts.get(id)}]` : undefined);
}
