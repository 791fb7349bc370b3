import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import type { IDisposable } from '@lumino/disposable';
import { CommandIDs } from '../commands';
import type { CellState } from '../model/notebooks/cell-states';
import { CellStatesModel } from '../model/notebooks/cell-states';
import type { NotebookDataModel } from '../model/notebooks/notebook-data';
import type { IMetadataService } from '../tokens';
import { openDataMenu } from './data-menu';
import { describeChanges } from './describe-changes';
import type { INotebookWidget } from './notebooks';
import { labelCells, listCellIds } from './cell-list';

const BADGE_CLASS = 'jp-Colophon-staleBadge';

/** Stale cells of a notebook have a badge below their code that explains why, with a menu. */
export class StaleBadges implements IDisposable {
  constructor(
    private _notebook: INotebookWidget,
    private _data: NotebookDataModel,
    metadata: IMetadataService,
    private _commands: CommandRegistry,
    private _trans: TranslationBundle
  ) {
    this._model = new CellStatesModel(metadata, metadata.feed, _data, () => listCellIds(_notebook));
    this._model.changed.connect(this._update, this);
    void _notebook.context.ready.then(() => {
      if (!this.isDisposed) {
        _notebook.content.model?.cells.changed.connect(this._onCellsChanged, this);
        this._model.show();
      }
    });
  }

  get isDisposed(): boolean {
    return this._model.isDisposed;
  }

  dispose(): void {
    if (!this.isDisposed) {
      this._notebook.content.model?.cells.changed.disconnect(this._onCellsChanged, this);
      this._model.dispose();
    }
  }

  /** Cells that are moved or restored have new widgets, which are created after the signal. */
  private _onCellsChanged(): void {
    this._model.refreshSoon();
    window.setTimeout(() => this._update());
  }

  private _update(): void {
    if (this.isDisposed || this._notebook.isDisposed) {
      return;
    }
    const stale = new Map(this._model.state.stale.map(state => [state.cell, state]));
    this._notebook.content.widgets.forEach(({ node, model }) => this._updateBadge(node, stale.get(model.id)));
  }

  private _updateBadge(node: HTMLElement, state: CellState | undefined): void {
    const shown = node.querySelector<HTMLElement>(`:scope > .${BADGE_CLASS}`);
    const text = state === undefined ? undefined : this._describe(state);
    if (shown?.title === text) {
      return;
    }
    shown?.remove();
    if (state !== undefined && text !== undefined) {
      const next = node.querySelector(':scope > .jp-Colophon-cellBadge, :scope > .jp-Cell-outputWrapper');
      node.insertBefore(this._createBadge(state, text), next);
    }
  }

  private _describe(state: CellState): string {
    const path = this._data.state.path ?? '';
    return describeChanges(state, path, labelCells(this._notebook), this._trans).join('\n');
  }

  private _createBadge(state: CellState, text: string): HTMLElement {
    const badge = document.createElement('button');
    badge.type = 'button';
    badge.className = BADGE_CLASS;
    badge.textContent = this._trans.__('Stale');
    badge.title = text;
    badge.setAttribute('aria-label', this._trans.__('Stale: %1', text));
    badge.setAttribute('aria-haspopup', 'menu');
    const reads = state.changes.map(({ data }) => ({ urn: data }));
    const runs = new Set(state.changes.flatMap(({ run }) => (run === null ? [] : [run])));
    const further = [
      { command: CommandIDs.runStaleCells, args: { path: this._notebook.context.path } },
      ...[...runs].map(urn => ({ command: CommandIDs.openRun, args: { urn } }))
    ];
    // A press must not select the cell's code.
    badge.onmousedown = event => event.stopPropagation();
    badge.onclick = () => openDataMenu(badge, this._commands, { reads, writes: [] }, further, this._trans);
    return badge;
  }

  private _model: CellStatesModel;
}
