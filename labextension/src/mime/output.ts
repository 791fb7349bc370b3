import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ISignal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import type { Lineage } from '../generated/api';
import type { LineageView } from '../lineage/view';

/** What an output knows of the outside. */
export interface IOutside {
  trans: TranslationBundle;
  themeChanged: ISignal<unknown, unknown> | null;
  openEntity(urn: string): void;
  openLineage(urn: string): void;
}

/** Whether an output of a notebook, which anybody may have written, is an answer to draw. */
function isLineage(data: unknown): data is Lineage {
  const value = data as Partial<Lineage> | null;
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof value.urn === 'string' &&
    [value.nodes, value.edges, value.columns].every(Array.isArray)
  );
}

/** A lineage graph in an output: to look at and to walk through; pages and the live graph open beside it. */
export class LineageOutput extends Widget implements IRenderMime.IRenderer {
  constructor(
    private _mimeType: string,
    private _outside: IOutside
  ) {
    super();
    this.addClass('jp-Colophon');
    this.addClass('jp-Colophon-output');
    _outside.themeChanged?.connect(this._recolour, this);
  }

  override dispose(): void {
    this._outside.themeChanged?.disconnect(this._recolour, this);
    this._view?.dispose();
    this._view = null;
    super.dispose();
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const data: unknown = model.data[this._mimeType];
    if (!isLineage(data)) {
      this.node.textContent = this._outside.trans.__('This output is no lineage.');
      return;
    }
    // The drawing is loaded when the first such output is.
    const { drawn } = await import('./drawing');
    if (!this.isDisposed) {
      this._view?.dispose();
      this.node.replaceChildren();
      this._view = drawn(this.node, data, this._outside);
    }
  }

  private _recolour(): void {
    requestAnimationFrame(() => this._view?.recolour());
  }

  private _view: LineageView | null = null;
}
