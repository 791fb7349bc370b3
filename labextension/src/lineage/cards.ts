import type { INode, Side } from './graph';
import { formatHiddenCount } from './graph';
import { NODE_HEIGHT, NODE_WIDTH } from './layout';
import type { IPlacedNode } from './scene';

/** The labels of the graph in the language of the user. */
export interface ILabels {
  graph: string;
  describe(node: INode): string;
  getName(node: INode): string;
  getPlace(node: INode): string;
  deleted: string;
  expand(node: INode, side: Side): string;
}

/** The outlines of the icons by node type, in a square of 24. */
export const SHAPES: Record<INode['type'], string> = {
  dataset:
    'M12 3c4.400 0 8 1.300 8 3v12c0 1.700-3.600 3-8 3s-8-1.300-8-3V6c0-1.700 3.600-3 8-3zm0 1.800C8.400 4.800 5.800 5.600 5.800 6S8.400 7.300 12 7.300 18.200 6.500 18.200 6 15.600 4.800 12 4.800zM5.800 8.300V18c0 .500 2.500 1.300 6.200 1.300s6.200-.800 6.200-1.300V8.300C16.700 8.800 14.500 9.100 12 9.100s-4.700-.300-6.200-.800z',
  dataJob:
    'M4 5h16a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zm1 2v10h14V7zm2.200 1.700 3.600 3.300-3.600 3.300-1.200-1.300 2.100-2-2.100-2zM12 14.200h5V16h-5z',
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

/** Creates the HTML element of a node: a card to select, and a button for each side with hidden neighbours. */
export function createCard(placed: IPlacedNode, isFocus: boolean, labels: ILabels): HTMLElement {
  const { node, at } = placed;
  const element = document.createElement('div');
  element.className = 'jp-Colophon-node';
  element.dataset['urn'] = node.urn;
  element.dataset['type'] = node.type;
  element.classList.toggle('jp-mod-focus', isFocus);
  element.classList.toggle('jp-mod-deleted', node.deleted);
  element.style.transform = `translate(${at.x}px, ${at.y}px)`;
  element.style.width = `${NODE_WIDTH}px`;
  element.style.height = `${NODE_HEIGHT}px`;
  const button = createButton('jp-Colophon-card', labels.describe(node));
  button.title = node.urn;
  button.tabIndex = -1;
  const place = node.deleted ? `${labels.getPlace(node)} · ${labels.deleted}` : labels.getPlace(node);
  const text = createSpan('jp-Colophon-cardText', '');
  text.append(createSpan('jp-Colophon-cardName', labels.getName(node)), createSpan('jp-Colophon-cardPlace', place));
  button.append(createIcon(node.type), text);
  element.append(button);
  for (const side of ['upstream', 'downstream'] as const) {
    if (node.notShown[side] > 0) {
      element.append(createExpander(node, side, labels));
    }
  }
  return element;
}
