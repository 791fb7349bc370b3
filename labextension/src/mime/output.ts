import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ISignal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import type { Lineage } from '../generated/api';
import type { LineageView } from '../lineage/view';

/** The context of an output. */
export interface IOutputContext {
  trans: TranslationBundle;
  themeChanged: ISignal<unknown, unknown> | null;
  openEntity(urn: string): void;
  /** Opens the graph in a tab, with a view of it if one is given. */
  openLineage(urn: string, view?: string): void;
}

/** Whether the data of an output, which may be from anybody, is a lineage answer. */
function isLineage(data: unknown): data is Lineage {
  const value = data as Partial<Lineage> | null;
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof value.urn === 'string' &&
    [value.nodes, value.edges, value.columns].every(Array.isArray)
  );
}

/** A lineage graph in an output. Pages and the live graph open beside it. */
export class LineageOutput extends Widget implements IRenderMime.IRenderer {
  constructor(
    private _mimeType: string,
    private _context: IOutputContext
  ) {
    super();
    this.addClass('jp-Colophon');
    this.addClass('jp-Colophon-output');
    _context.themeChanged?.connect(this._refreshColours, this);
  }

  override dispose(): void {
    this._context.themeChanged?.disconnect(this._refreshColours, this);
    this._view?.dispose();
    this._view = null;
    super.dispose();
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const data: unknown = model.data[this._mimeType];
    if (!isLineage(data)) {
      this.node.textContent = this._context.trans.__('This output is not a lineage graph.');
      return;
    }
    // The drawing is loaded for the first output.
    const { drawLineage: drawn } = await import('./drawing');
    if (!this.isDisposed) {
      this._view?.dispose();
      this.node.replaceChildren();
      this._view = drawn(this.node, data, this._context);
    }
  }

  private _refreshColours(): void {
    requestAnimationFrame(() => this._view?.refreshColours());
  }

  private _view: LineageView | null = null;
}
