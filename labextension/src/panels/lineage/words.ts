import type { TranslationBundle } from '@jupyterlab/translation';
import type { IWords } from '../../lineage/cards';
import type { INode } from '../../lineage/graph';
import { hiddenCount } from '../../lineage/graph';
import { lastPart, typeWord } from '../../components/words';

const CELL = /^(?:.*\/)?([^/]+)#([^#]+)$/;

/** What JupyterLab calls a cell: its first eight characters tell one from another. */
const RANDOM_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The file of a notebook's cell, and the cell's id, a random one cut short; null for anything else. */
function cellOf(node: Pick<INode, 'type' | 'name'>): { file: string; id: string } | null {
  const found = node.type === 'dataJob' ? CELL.exec(node.name) : null;
  if (!found) {
    return null;
  }
  const [, file = '', id = ''] = found;
  return { file, id: RANDOM_ID.test(id) ? id.slice(0, 8) : id };
}

/** The name of a step where it has one, else the last part of a path: what the beginning is, its tooltip tells. */
export function nodeName(node: Pick<INode, 'type' | 'name' | 'title'>): string {
  return node.title ?? cellOf(node)?.file ?? lastPart(node.name);
}

/** What tells a node from others of its name. */
export function nodePlace(node: INode, trans: TranslationBundle): string {
  const cell = cellOf(node);
  if (cell) {
    return node.title === undefined ? trans.__('cell %1', cell.id) : trans.__('%1 · cell %2', cell.file, cell.id);
  }
  const second = node.type === 'dataset' ? (node.platform ?? '') : typeWord(node.type, trans);
  return [node.namespace, second].filter(word => word !== '').join(' · ');
}

/** Words of the drawing. */
export function graphWords(name: string, trans: TranslationBundle): IWords {
  return {
    graph: trans.__(
      'Lineage of %1. Right and left arrow follow edges, up and down stay in a column, Home and End go to the first and the last, Enter opens the page.',
      name
    ),
    name: nodeName,
    place: node => nodePlace(node, trans),
    deleted: trans.__('deleted'),
    describe: node =>
      trans.__(
        '%1, %2 in %3',
        node.title === undefined ? node.name : `${node.title} (${node.name})`,
        typeWord(node.type, trans),
        node.namespace
      ),
    expand: (node, side) =>
      side === 'upstream'
        ? trans.__('Show %1 more upstream of %2', hiddenCount(node, side), node.name)
        : trans.__('Show %1 more downstream of %2', hiddenCount(node, side), node.name)
  };
}
