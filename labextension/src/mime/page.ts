/** How the links of a page open other pages. */
export interface IPageActions {
  openEntity(urn: string): void;
  /** Shows the search panel with a query. */
  search(query: string): void;
}

type Document = Partial<Record<string, unknown>>;

/** The elements of a page of `%metadata` (rendering/elements.py); an output may be from anybody. */
function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the elements of a page; null if the data is not a page. */
export function listElements(data: unknown): readonly Document[] | null {
  const elements = isDocument(data) ? data['elements'] : null;
  return Array.isArray(elements) && elements.every(isDocument) ? elements : null;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Creates an element; a text is never parsed as HTML. */
function create(tag: string, className: string, ...children: (Node | string)[]): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...children);
  return element;
}

function createButton(className: string, label: string, title: string, onClick: () => void): HTMLElement {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className, textContent: label, title, onclick: onClick });
  return button;
}

/** Creates a tag that searches for itself. A phrase has no quotation marks. */
function createTag(key: string, word: string, actions: IPageActions): HTMLElement {
  const query = `${key}:${/^[\w.-]+$/.test(word) ? word : `"${word.replaceAll('"', ' ')}"`}`;
  return key === ''
    ? create('span', 'jp-Colophon-tag', word)
    : createButton('jp-Colophon-tag', word, query, () => actions.search(query));
}

/** Creates the content of a cell: a text, a linked name, or several of them. */
function createCell(value: unknown, actions: IPageActions): Node[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => [
      ...(index > 0 ? [document.createTextNode(', ')] : []),
      ...createCell(item, actions)
    ]);
  }
  if (!isDocument(value)) {
    return [document.createTextNode(toText(value))];
  }
  const [text, urn] = [toText(value['text']), toText(value['urn'])];
  return urn === ''
    ? [document.createTextNode(text)]
    : [createButton('jp-Colophon-link', text, urn, () => actions.openEntity(urn))];
}

function createTable(element: Document, actions: IPageActions): HTMLElement {
  const heads = toList(element['columns']).map(name => {
    const head = create('th', '', toText(name));
    head.setAttribute('scope', 'col');
    return head;
  });
  const rows = toList(element['rows']).map(row =>
    create('tr', '', ...toList(row).map(value => create('td', '', ...createCell(value, actions))))
  );
  const caption = toText(element['caption']);
  return create(
    'table',
    '',
    ...(caption === '' ? [] : [create('caption', '', caption)]),
    create('thead', '', create('tr', '', ...heads)),
    create('tbody', '', ...rows)
  );
}

function createElement(element: Document, actions: IPageActions): HTMLElement {
  const [text, label, key] = [toText(element['text']), toText(element['label']), toText(element['key'])];
  switch (element['kind']) {
    case 'title': {
      const note = create('span', 'jp-Colophon-quiet', toText(element['note']));
      return create('div', 'jp-Colophon-answerTitle', ...createCell(element['text'], actions), ' ', note);
    }
    case 'tags': {
      const tags = toList(element['words']).map(word => createTag(key, toText(word), actions));
      const shown = tags.length > 0 ? tags : [create('span', 'jp-Colophon-quiet', toText(element['empty']))];
      return create('div', '', create('span', 'jp-Colophon-quiet', `${label}:`), ' ', ...shown);
    }
    case 'text':
      return create('div', '', create('div', 'jp-Colophon-quiet', toText(element['caption'])), create('pre', '', text));
    case 'table':
      return createTable(element, actions);
    default:
      return create('div', element['quiet'] === true ? 'jp-Colophon-quiet' : '', text);
  }
}

/** Shows the elements of a page in an output. */
export function showElements(host: HTMLElement, elements: readonly Document[], actions: IPageActions): void {
  host.replaceChildren(...elements.map(element => createElement(element, actions)));
}
