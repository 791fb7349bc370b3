import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import type { IDisposable } from '@lumino/disposable';
import { CommandIDs } from '../commands';
import type { Run } from '../generated/api';
import type { NotebookDataModel } from '../model/notebooks/notebook-data';
import { parseNotebookUrn } from '../model/urns';
import { formatWrittenData } from '../model/notebooks/written-data';
import type { IDataUses } from './data-menu';
import { describeUses, openDataMenu } from './data-menu';
import type { INotebookWidget } from './notebooks';

const BADGE_CLASS = 'jp-Colophon-cellBadge';

function listUses({ accesses }: Run): IDataUses {
  const select = (modes: readonly string[]): IDataUses['reads'] =>
    accesses.filter(({ mode }) => modes.includes(mode)).map(({ data }) => ({ urn: data }));
  return { reads: select(['read', 'both', 'unknown']), writes: select(['write', 'both']) };
}

/** Returns the text of a badge: what the cell wrote, else what it read. */
function formatUses({ reads, writes }: IDataUses): string {
  return writes.length > 0
    ? formatWrittenData(writes.map(({ urn }) => urn))
    : formatWrittenData(reads.map(({ urn }) => urn)).replace('→', '←');
}

/** The cells of a notebook have a badge below their code that shows which data their newest run read and wrote. */
export class CellBadges implements IDisposable {
  constructor(
    private _notebook: INotebookWidget,
    private _model: NotebookDataModel,
    private _commands: CommandRegistry,
    private _trans: TranslationBundle
  ) {
    _model.changed.connect(this._update, this);
    void _notebook.context.ready.then(() => {
      if (!this._isDisposed) {
        // Cells that are moved or restored have new widgets.
        _notebook.content.model?.cells.changed.connect(this._updateLater, this);
        this._update();
      }
    });
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._model.changed.disconnect(this._update, this);
      this._notebook.content.model?.cells.changed.disconnect(this._updateLater, this);
    }
  }

  /** The widgets of changed cells are created after the signal. */
  private _updateLater(): void {
    window.setTimeout(() => this._update());
  }

  private _update(): void {
    if (this._isDisposed || this._notebook.isDisposed) {
      return;
    }
    const runs = new Map(this._model.state.runs.map(run => [parseNotebookUrn(run.program)?.cell, run]));
    this._notebook.content.widgets.forEach(({ node, model }) => this._updateBadge(node, runs.get(model.id)));
  }

  /** Shows the badge of a run in a cell; none for a cell without data. */
  private _updateBadge(node: HTMLElement, run: Run | undefined): void {
    const shown = node.querySelector<HTMLElement>(`:scope > .${BADGE_CLASS}`);
    const count = run?.accesses.length ?? 0;
    const version = run === undefined || count === 0 ? undefined : `${run.urn} ${count}`;
    if (shown?.dataset['version'] === version) {
      return;
    }
    shown?.remove();
    if (run !== undefined && version !== undefined) {
      const badge = this._createBadge(run);
      badge.dataset['version'] = version;
      node.insertBefore(badge, node.querySelector(':scope > .jp-Cell-outputWrapper'));
    }
  }

  private _createBadge(run: Run): HTMLElement {
    const uses = listUses(run);
    const badge = document.createElement('button');
    badge.type = 'button';
    badge.className = BADGE_CLASS;
    badge.textContent = formatUses(uses);
    badge.title = describeUses(uses, this._trans);
    badge.setAttribute('aria-haspopup', 'menu');
    const further = [
      { command: CommandIDs.openLineage, args: { urn: run.program } },
      { command: CommandIDs.openRun, args: { urn: run.urn } }
    ];
    // A press must not select the cell's code.
    badge.onmousedown = event => event.stopPropagation();
    badge.onclick = () => openDataMenu(badge, this._commands, uses, further, this._trans);
    return badge;
  }

  private _isDisposed = false;
}
