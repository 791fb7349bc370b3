import { PageConfig } from '@jupyterlab/coreutils';
import { afterEach, expect, test } from 'vitest';
import { followLink } from '../../src/links';
import { canInsertCode, getStartPage } from '../../src/notebook/application-page';
import { CELL_PARAMETERS, createCellLink, toCellPlace } from '../../src/notebook/cell-link';
import type { ICellPlace } from '../../src/model/notebooks/cell-place';

afterEach(() => {
  PageConfig.setOption('notebookPage', '');
  window.history.replaceState(null, '', '/');
});

/** Opens an address, and returns the cells that its link names. */
async function openAddress(address: string): Promise<ICellPlace[]> {
  window.history.replaceState(null, '', address);
  const places: ICellPlace[] = [];
  const app = { restored: Promise.resolve() } as Parameters<typeof followLink>[0];
  await followLink(app, CELL_PARAMETERS, parameters => Promise.resolve(places.push(toCellPlace(parameters))));
  return places;
}

test('a link to a cell opens the page of its notebook, where it is followed once', async () => {
  const link = new URL(createCellLink({ path: 'my sales/100 %.ipynb', cell: 'load' }));
  expect(decodeURIComponent(link.pathname)).toMatch(/\/notebooks\/my sales\/100 %\.ipynb$/);
  const address = `${link.pathname}${link.search}&factory=Notebook`;
  expect(await openAddress(address)).toEqual([{ path: 'my sales/100 %.ipynb', cell: 'load', run: undefined }]);
  expect(window.location.search).toBe('?factory=Notebook');
});

test('an address without a link opens nothing', async () => {
  expect(await openAddress('/notebooks/sales.ipynb?colophon-cell=load')).toEqual([]);
});

test('in Notebook 7, code is inserted on pages of documents, and links open the list of files', () => {
  expect([canInsertCode(), getStartPage()]).toEqual([true, 'lab']);
  PageConfig.setOption('notebookPage', 'tree');
  expect([canInsertCode(), getStartPage()]).toEqual([false, 'tree']);
  PageConfig.setOption('notebookPage', 'notebooks');
  expect([canInsertCode(), getStartPage()]).toEqual([true, 'tree']);
});
