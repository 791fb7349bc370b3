import type { CellStates, Change } from '../../generated/api';
import type { ICatalog, IChangeFeed } from '../../tokens';
import type { ILiveState } from '../live/live-model';
import { LiveModel } from '../live/live-model';
import type { NotebookDataModel } from './notebook-data';

/** The state of a cell whose newest run accessed data. */
export type CellState = CellStates['cells'][number];
/** An input that makes a cell stale. */
export type ChangedInput = CellState['changes'][number];

/** The state of the cells of a notebook. */
interface ICellStatesState extends ILiveState {
  /** The stale cells in the order of the notebook. */
  stale: readonly CellState[];
}

/** Several cells and programs may write at once; cells may be moved one after another. */
const CHANGE_PAUSE_MS = 500;

/** Reads the stale cells of a notebook that has these cells from top to bottom. */
export async function readStaleCells(
  catalog: ICatalog,
  notebook: string,
  cells: readonly string[] | null,
  signal?: AbortSignal
): Promise<CellState[]> {
  const body = cells === null ? { notebook } : { notebook, cells: [...cells] };
  const answer = await catalog.call('listCellStates', {}, { body, signal });
  return answer.cells.filter(({ state }) => state === 'stale');
}

/**
 * Which cells of a notebook are stale.
 *
 * They are loaded again when a cell accessed data, when a program wrote what cells read, and when cells were added,
 * deleted or moved. A notebook whose cells read nothing causes no request.
 */
export class CellStatesModel extends LiveModel<ICellStatesState> {
  /**
   * @param _data - What the notebook reads and writes.
   * @param _listCells - Returns the ids of its cells from top to bottom; null if they are unknown.
   */
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    private _data: NotebookDataModel,
    private _listCells: () => readonly string[] | null
  ) {
    super(feed, { stale: [], busy: false, problem: null });
    _data.changed.connect(this._onDataChanged, this);
  }

  override dispose(): void {
    if (!this._data.isDisposed) {
      this._data.changed.disconnect(this._onDataChanged, this);
    }
    super.dispose();
  }

  /** Loads the states again soon, since cells were added, deleted or moved. */
  refreshSoon(): void {
    if (this.isShown) {
      this.scheduleRefresh(CHANGE_PAUSE_MS);
    }
  }

  protected override async load(signal: AbortSignal): Promise<Partial<ICellStatesState>> {
    const { path, reads } = this._data.state;
    return { stale: path === null || reads.length === 0 ? [] : await this._read(path, signal) };
  }

  protected override onChanges(changes: readonly Change[]): void {
    const read = new Set(this._data.state.reads.map(({ urn }) => urn));
    if (changes.some(({ operation, urn }) => operation === 'access' && read.has(urn))) {
      this.refreshSoon();
    }
  }

  private _read(path: string, signal: AbortSignal): Promise<CellState[]> {
    return readStaleCells(this._catalog, path, this._listCells(), signal);
  }

  private _onDataChanged(): void {
    const { runs } = this._data.state;
    if (runs !== this._runs) {
      this._runs = runs;
      this.refreshSoon();
    }
  }

  private _runs: NotebookDataModel['state']['runs'] | null = null;
}
