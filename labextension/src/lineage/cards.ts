import type { INode, Side } from './graph';
import { formatHiddenCount, SIDES } from './graph';
import { COLUMN_HEIGHT, NODE_HEIGHT, NODE_WIDTH } from './layout';
import type { IPlacedNode } from './scene';
import { splitName } from './shorten-name';

/** A short text on a card, such as a warning of an extension. */
export interface IBadge {
  text: string;
  title: string;
  /** Colours the badge. */
  status?: 'failing' | 'warning';
}

/** The labels of the graph in the language of the user. */
export interface ILabels {
  graph: string;
  describe(node: INode): string;
  getName(node: INode): string;
  getPlace(node: INode): string;
  deleted: string;
  expand(node: INode, side: Side): string;
  collapse(node: INode, side: Side): string;
  /** The label of the button that shows or hides the columns of a table. */
  toggleColumns(node: INode, isExpanded: boolean): string;
  describeColumn(node: INode, field: string): string;
  moreColumns(count: number): string;
  noColumns: string;
}

/** What a card shows in addition to its node. */
export interface ICardAppearance {
  isFocus: boolean;
  /** The number of the colour; undefined if there is none. */
  colour: number | undefined;
  /** Replaces the place of the node, such as its age. */
  detail: string | undefined;
  badges: readonly IBadge[];
  /** The CSS colour of a mark of an extension; undefined if there is none. */
  mark: string | undefined;
  /** The sides with shown neighbours, which can be collapsed. */
  collapsible: readonly Side[];
  /** Whether the node is a table, whose columns can be shown. */
  hasColumns: boolean;
}

/** The outlines of the icons by node type, in a square of 24. */
export const SHAPES: Record<INode['type'], string> = {
  dataset:
    'M12 3c4.400 0 8 1.300 8 3v12c0 1.700-3.600 3-8 3s-8-1.300-8-3V6c0-1.700 3.600-3 8-3zm0 1.800C8.400 4.800 5.800 5.600 5.800 6S8.400 7.300 12 7.300 18.200 6.500 18.200 6 15.600 4.800 12 4.800zM5.800 8.300V18c0 .500 2.500 1.300 6.200 1.300s6.200-.800 6.200-1.300V8.300C16.700 8.800 14.500 9.100 12 9.100s-4.700-.300-6.200-.800z',
  mlModel:
    'M12 2l9 5v10l-9 5-9-5V7zm0 2.300L6.500 7.350 12 10.400l5.500-3.050zM5 9v6.850l6 3.300v-6.850zm14 0-6 3.300v6.850l6-3.300z',
  dataJob:
    'M4 5h16a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zm1 2v10h14V7zm2.200 1.700 3.600 3.300-3.600 3.300-1.200-1.300 2.100-2-2.100-2zM12 14.200h5V16h-5z',
  group: 'M4 3h12v2H6v10H4zm4 4h12v14H8zm2 2v10h8V9zm2 2h4v2h-4zm0 4h4v2h-4z',
  custom: 'M4 11h10.200L10.600 7.400 12 6l6 6-6 6-1.400-1.400 3.600-3.600H4zM19 5h2v14h-2z'
};

function createIcon(type: INode['type']): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', SHAPES[type]);
  svg.append(path);
  return svg;
}

function createSpan(name: string, text: string): HTMLSpanElement {
  const element = document.createElement('span');
  element.className = name;
  element.textContent = text;
  return element;
}

function createButton(name: string, label: string): HTMLButtonElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.className = name;
  element.setAttribute('aria-label', label);
  element.title = label;
  return element;
}

function createExpander(node: INode, side: Side, labels: ILabels): HTMLButtonElement {
  const element = createButton('jp-Colophon-expand', labels.expand(node, side));
  element.dataset['side'] = side;
  element.tabIndex = -1;
  element.textContent = `+${formatHiddenCount(node, side)}`;
  return element;
}

function createCollapser(node: INode, side: Side, labels: ILabels): HTMLButtonElement {
  const element = createButton('jp-Colophon-collapse', labels.collapse(node, side));
  element.dataset['collapse'] = side;
  element.tabIndex = -1;
  element.textContent = '−';
  return element;
}

function createColumns({ node, columns }: IPlacedNode, labels: ILabels): HTMLElement {
  const list = document.createElement('div');
  list.className = 'jp-Colophon-cardColumns';
  for (const field of columns?.fields ?? []) {
    const row = createButton('jp-Colophon-cardColumn', labels.describeColumn(node, field));
    row.title = field;
    row.dataset['field'] = field;
    row.tabIndex = -1;
    row.style.height = `${COLUMN_HEIGHT}px`;
    row.textContent = field;
    list.append(row);
  }
  const hidden = columns?.hidden ?? 0;
  if (hidden > 0) {
    const more = createButton('jp-Colophon-cardMore', labels.moreColumns(hidden));
    more.dataset['more'] = 'columns';
    more.tabIndex = -1;
    more.style.height = `${COLUMN_HEIGHT}px`;
    more.textContent = labels.moreColumns(hidden);
    list.append(more);
  } else if (columns?.fields.length === 0) {
    list.append(createSpan('jp-Colophon-cardMore', labels.noColumns));
  }
  return list;
}

/** Creates a name that is cut in its middle if there is no room (`splitName`). */
function createName(text: string): HTMLElement {
  const element = createSpan('jp-Colophon-cardName', '');
  const parts = splitName(text);
  for (const part of ['head', 'tail', 'extension'] as const) {
    if (parts[part] !== '') {
      const span = createSpan('', parts[part]);
      span.dataset['part'] = part;
      element.append(span);
    }
  }
  return element;
}

function createText(node: INode, appearance: ICardAppearance, labels: ILabels): HTMLElement {
  const place = appearance.detail ?? labels.getPlace(node);
  const text = createSpan('jp-Colophon-cardText', '');
  text.append(
    createName(labels.getName(node)),
    createSpan('jp-Colophon-cardPlace', node.deleted ? `${place} · ${labels.deleted}` : place)
  );
  return text;
}

function createBadges(badges: readonly IBadge[]): HTMLElement {
  const element = createSpan('jp-Colophon-cardBadges', '');
  for (const { text, title, status } of badges) {
    const badge = createSpan('jp-Colophon-cardBadge', text);
    badge.title = title;
    if (status !== undefined) {
      badge.dataset['status'] = status;
    }
    element.append(badge);
  }
  return element;
}

function createColumnsToggle({ node, columns }: IPlacedNode, labels: ILabels): HTMLButtonElement {
  const isExpanded = columns !== null;
  const element = createButton('jp-Colophon-columnsToggle', labels.toggleColumns(node, isExpanded));
  element.dataset['toggle'] = 'columns';
  element.tabIndex = -1;
  element.setAttribute('aria-expanded', String(isExpanded));
  element.textContent = isExpanded ? '▾' : '▸';
  return element;
}

/** Creates the HTML element of a node: a card to select, its columns, and buttons for its sides. */
export function createCard(placed: IPlacedNode, appearance: ICardAppearance, labels: ILabels): HTMLElement {
  const { node, at, height, columns } = placed;
  const element = document.createElement('div');
  element.className = 'jp-Colophon-node';
  element.dataset['urn'] = node.urn;
  element.dataset['type'] = node.type;
  element.classList.toggle('jp-mod-focus', appearance.isFocus);
  element.classList.toggle('jp-mod-deleted', node.deleted);
  if (appearance.colour !== undefined) {
    element.dataset['colour'] = String(appearance.colour);
  }
  if (appearance.mark !== undefined) {
    element.dataset['colour'] = 'mark';
    element.style.setProperty('--jp-Colophon-colour', appearance.mark);
  }
  element.style.transform = `translate(${at.x}px, ${at.y}px)`;
  element.style.width = `${NODE_WIDTH}px`;
  element.style.height = `${height}px`;
  const details = appearance.badges.map(({ title }) => title);
  const button = createButton('jp-Colophon-card', [labels.describe(node), ...details].join(', '));
  button.title = node.members ? labels.getName(node) : node.urn;
  button.tabIndex = -1;
  button.style.height = columns ? `${NODE_HEIGHT}px` : '100%';
  button.append(createIcon(node.type), createText(node, appearance, labels), createBadges(appearance.badges));
  element.append(button);
  if (appearance.hasColumns) {
    element.append(createColumnsToggle(placed, labels));
  }
  if (columns) {
    element.append(createColumns(placed, labels));
  }
  for (const side of SIDES) {
    if (node.notShown[side] > 0) {
      element.append(createExpander(node, side, labels));
    } else if (appearance.collapsible.includes(side)) {
      element.append(createCollapser(node, side, labels));
    }
  }
  return element;
}
