import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import type { IPageActions } from './page';

/** A page of `%metadata` in an output: names open the pages of entities, and tags are searched. */
export class PageOutput extends Widget implements IRenderMime.IRenderer {
  constructor(
    private _mimeType: string,
    private _actions: IPageActions,
    private _trans: TranslationBundle
  ) {
    super();
    // The tables look as those in the HTML of outputs.
    ['jp-Colophon', 'jp-Colophon-answer', 'jp-RenderedHTMLCommon'].forEach(name => this.addClass(name));
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const { listElements, showElements } = await import('./page');
    const elements = listElements(model.data[this._mimeType]);
    if (elements === null) {
      this.node.textContent = this._trans.__('This output is not a page of %metadata.');
    } else {
      showElements(this.node, elements, this._actions);
    }
  }
}
