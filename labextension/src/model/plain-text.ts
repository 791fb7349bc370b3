import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';

/** Longer texts are cut: lists show the beginning only. */
const MAX_LENGTH = 2000;
/** The number of texts that are kept: a list is rendered again with each letter that is typed. */
const MAX_KEPT = 500;

/** Converts Markdown to the text that a reader sees, with JupyterLab's renderer; unchanged where there is none. */
export class PlainTextConverter {
  constructor(private _parser: IRenderMimeRegistry['markdownParser']) {}

  async convert(markdown: string): Promise<string> {
    if (this._parser === null || markdown === '') {
      return markdown;
    }
    const kept = this._kept.get(markdown);
    if (kept !== undefined) {
      return kept;
    }
    const html = await this._parser.render(markdown.slice(0, MAX_LENGTH));
    // A parsed document runs no scripts, and loads nothing.
    const { textContent } = new DOMParser().parseFromString(html, 'text/html').body;
    const text = (textContent ?? '').replace(/\s+/g, ' ').trim();
    if (this._kept.size >= MAX_KEPT) {
      this._kept.clear();
    }
    this._kept.set(markdown, text);
    return text;
  }

  private _kept = new Map<string, string>();
}
