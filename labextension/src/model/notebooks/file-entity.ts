import type { ICatalog } from '../../tokens';
import { parseNotebookUrn } from '../urns';

/** What is recorded about a file: URNs, equal for data. */
interface IFileEntity {
  /** The entity whose page describes the file. */
  page: string;
  /** The entity with the lineage of the file. */
  lineage: string;
}

const LIMIT = 100;

/** Returns the dataset whose name is the absolute path of a file; undefined if there is none. */
async function findDataset(catalog: ICatalog, root: string, path: string): Promise<string | undefined> {
  const baseName = path.split('/').at(-1) ?? path;
  // A phrase cannot contain quotation marks; the whole name is compared below.
  const q = `name:"${baseName.replaceAll('"', ' ')}"`;
  const filters = { type: 'dataset', platform: 'file', facets: 'type' };
  const { hits } = await catalog.call('search', { q, ...filters, limit: LIMIT });
  // The server abbreviates the home directory in its root to `~`.
  const name = `${root.replace(/^~/, '').replace(/\/$/, '')}/${path}`;
  const isMatch = root.startsWith('~') ? (other: string) => other.endsWith(name) : (other: string) => other === name;
  return hits.find(hit => isMatch(hit.name))?.urn;
}

/** Returns the dataset of a file, or of its folder: a dataset of several files has the name of their folder. */
async function findData(catalog: ICatalog, root: string, path: string): Promise<IFileEntity | null> {
  const folder = path.split('/').slice(0, -1).join('/');
  const urn =
    (await findDataset(catalog, root, path)) ?? (folder === '' ? undefined : await findDataset(catalog, root, folder));
  return urn === undefined ? null : { page: urn, lineage: urn };
}

/** Returns the program of a notebook, and that of the cell which accessed data last. */
async function findNotebook(catalog: ICatalog, path: string): Promise<IFileEntity | null> {
  const { runs } = await catalog.call('listCellRuns', { notebook: path });
  const newest = runs.find(run => run.accesses.length > 0) ?? runs[0];
  const whole = runs.find(({ program }) => parseNotebookUrn(program)?.cell === undefined) ?? newest;
  return newest === undefined || whole === undefined ? null : { page: whole.program, lineage: newest.program };
}

export function isNotebookPath(path: string): boolean {
  return path.endsWith('.ipynb');
}

/**
 * Finds what is recorded about a file or notebook; null if nothing is.
 *
 * @param root - The root directory of the server, as in the configuration of JupyterLab's pages.
 * @param path - The path of the file, relative to the root.
 */
export function findFileEntity(catalog: ICatalog, root: string, path: string): Promise<IFileEntity | null> {
  return isNotebookPath(path) ? findNotebook(catalog, path) : findData(catalog, root, path);
}
