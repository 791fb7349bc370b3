import type { TranslationBundle } from '@jupyterlab/translation';
import type { ILabels } from '../../lineage/cards';
import type { INode } from '../../lineage/graph';
import { formatHiddenCount } from '../../lineage/graph';
import { getLastPart, getTypeLabel } from '../../components/labels';
import { isCluster } from '../../lineage/cluster';
import { parseVariable } from '../../model/notebooks/variable';
import { isDataType } from '../../model/urns';

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
  return { file, id: shortenCellId(id) };
}

function shortenCellId(id: string): string {
  return RANDOM_ID.test(id) ? id.slice(0, 8) : id;
}

/** Returns the title of a node, else the last part of its path; its tooltip has the full name. */
export function getNodeName(node: Pick<INode, 'urn' | 'type' | 'name' | 'title'>): string {
  return node.title ?? parseVariable(node.urn)?.name ?? parseCell(node)?.file ?? getLastPart(node.name);
}

/** Returns the last folder of the path of data; empty for other names. */
function getFolder({ type, name }: Pick<INode, 'type' | 'name'>): string {
  const folder = isDataType(type)
    ? name
        .split('/')
        .filter(part => part !== '')
        .at(-2)
    : undefined;
  return folder === undefined ? '' : `…/${folder}`;
}

/** Returns what distinguishes a node from others of the same name. */
export function getNodePlace(node: INode, trans: TranslationBundle): string {
  const cell = parseCell(node);
  if (cell) {
    return node.title === undefined ? trans.__('cell %1', cell.id) : trans.__('%1 · cell %2', cell.file, cell.id);
  }
  const variable = parseVariable(node.urn);
  if (variable) {
    return trans.__('variable of cell %1', shortenCellId(variable.cell));
  }
  const second = node.type === 'dataset' ? (node.platform ?? '') : getTypeLabel(node.type, trans);
  return [getFolder(node) || node.namespace, second].filter(word => word !== '').join(' · ');
}

/** Describes the nodes of a group by their number and type. */
function countMembers({ members = [] }: INode, trans: TranslationBundle): string {
  const isOnly = (type: INode['type']): boolean => members.every(member => member.type === type);
  if (isOnly('dataJob')) {
    return trans._n('%1 program', '%1 programs', members.length);
  }
  return isOnly('dataset')
    ? trans._n('%1 dataset', '%1 datasets', members.length)
    : trans._n('%1 node', '%1 nodes', members.length);
}

/** Returns the name of a node or a group on its card. */
function getCardName(node: INode, trans: TranslationBundle): string {
  if (!node.members) {
    return getNodeName(node);
  }
  return isCluster(node) ? `${countMembers(node, trans)} ▸` : getLastPart(node.name);
}

function getCardPlace(node: INode, trans: TranslationBundle): string {
  if (!node.members) {
    return getNodePlace(node, trans);
  }
  return isCluster(node) ? trans.__('show the next ones') : `${countMembers(node, trans)} ▸`;
}

function describeNode(node: INode, trans: TranslationBundle): string {
  if (node.members) {
    return isCluster(node)
      ? trans.__('%1 more, show the next ones', countMembers(node, trans))
      : trans.__('%1, group of %2', node.name, countMembers(node, trans));
  }
  const name = node.title === undefined ? node.name : `${node.title} (${node.name})`;
  return trans.__('%1, %2 in %3', name, getTypeLabel(node.type, trans), node.namespace);
}

/** Returns the label of the category of an age. */
export function getAgeLabel(age: string, trans: TranslationBundle): string {
  switch (age) {
    case 'hour':
      return trans.__('within an hour');
    case 'day':
      return trans.__('within a day');
    case 'week':
      return trans.__('within a week');
    case 'month':
      return trans.__('within a month');
    case 'older':
      return trans.__('older');
    default:
      return age;
  }
}

/** Creates the labels of the graph. */
export function createLabels(name: string, trans: TranslationBundle): ILabels {
  return {
    graph: trans.__(
      'Lineage of %1. Right and left arrow follow edges, up and down stay in a column, Home and End go to the first and the last, letters find a node, Insert shows columns, brackets and braces expand and collapse, Enter opens the page.',
      name
    ),
    getName: node => getCardName(node, trans),
    getPlace: node => getCardPlace(node, trans),
    deleted: trans.__('deleted'),
    describe: node => describeNode(node, trans),
    expand: (node, side) =>
      side === 'upstream'
        ? trans.__('Show %1 more upstream of %2', formatHiddenCount(node, side), node.name)
        : trans.__('Show %1 more downstream of %2', formatHiddenCount(node, side), node.name),
    collapse: (node, side) =>
      side === 'upstream'
        ? trans.__('Hide what is upstream of %1', node.name)
        : trans.__('Hide what is downstream of %1', node.name),
    toggleColumns: (node, isExpanded) =>
      isExpanded
        ? trans.__('Hide the columns of %1', getNodeName(node))
        : trans.__('Show the columns of %1', getNodeName(node)),
    describeColumn: (node, field) => trans.__('column %1 of %2', field, getNodeName(node)),
    moreColumns: count => trans._n('+ %1 more', '+ %1 more', count),
    noColumns: trans.__('No columns known')
  };
}
