import type { TranslationBundle } from '@jupyterlab/translation';
import type { ILabels } from '../../lineage/cards';
import type { INode } from '../../lineage/graph';
import { formatHiddenCount } from '../../lineage/graph';
import { getLastPart, getTypeLabel } from '../../components/labels';

const CELL = /^(?:.*\/)?([^/]+)#([^#]+)$/;

/** The random ids of cells in JupyterLab, of which eight characters are sufficient. */
const RANDOM_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Parses the name of a notebook cell into its file and id, with random ids shortened; null for other names. */
function parseCell(node: Pick<INode, 'type' | 'name'>): { file: string; id: string } | null {
  const match = node.type === 'dataJob' ? CELL.exec(node.name) : null;
  if (!match) {
    return null;
  }
  const [, file = '', id = ''] = match;
  return { file, id: RANDOM_ID.test(id) ? id.slice(0, 8) : id };
}

/** Returns the title of a node, else the last part of its path; its tooltip has the full name. */
export function getNodeName(node: Pick<INode, 'type' | 'name' | 'title'>): string {
  return node.title ?? parseCell(node)?.file ?? getLastPart(node.name);
}

/** Returns what distinguishes a node from others of the same name. */
export function getNodePlace(node: INode, trans: TranslationBundle): string {
  const cell = parseCell(node);
  if (cell) {
    return node.title === undefined ? trans.__('cell %1', cell.id) : trans.__('%1 · cell %2', cell.file, cell.id);
  }
  const second = node.type === 'dataset' ? (node.platform ?? '') : getTypeLabel(node.type, trans);
  return [node.namespace, second].filter(word => word !== '').join(' · ');
}

/** Creates the labels of the graph. */
export function createLabels(name: string, trans: TranslationBundle): ILabels {
  return {
    graph: trans.__(
      'Lineage of %1. Right and left arrow follow edges, up and down stay in a column, Home and End go to the first and the last, Enter opens the page.',
      name
    ),
    getName: getNodeName,
    getPlace: node => getNodePlace(node, trans),
    deleted: trans.__('deleted'),
    describe: node =>
      trans.__(
        '%1, %2 in %3',
        node.title === undefined ? node.name : `${node.title} (${node.name})`,
        getTypeLabel(node.type, trans),
        node.namespace
      ),
    expand: (node, side) =>
      side === 'upstream'
        ? trans.__('Show %1 more upstream of %2', formatHiddenCount(node, side), node.name)
        : trans.__('Show %1 more downstream of %2', formatHiddenCount(node, side), node.name)
  };
}
