import type { QualityStatuses } from '../../generated/api';
import type { IGraph } from '../../lineage/graph';
import type { ICatalog } from '../../tokens';

/** The most datasets of a request, and with a badge. */
const MAX_DATASETS = 1000;

/** The quality of datasets with results, by URN. */
export type Statuses = ReadonlyMap<string, QualityStatuses['statuses'][string]>;

/** Reads the quality of the datasets that are drawn, together. */
export class DrawnQuality {
  constructor(private _catalog: ICatalog) {}

  /** Reads all of them; returns null if they cannot be read. */
  async readAll(graph: IGraph): Promise<Statuses | null> {
    const urns = graph.nodes
      .filter(({ type, members }) => type === 'dataset' && members === undefined)
      .slice(0, MAX_DATASETS)
      .map(({ urn }) => urn);
    this._known = new Set(urns);
    try {
      const body = { urns };
      const { statuses } =
        urns.length === 0 ? { statuses: {} } : await this._catalog.call('readQualityStatuses', {}, { body });
      return new Map(Object.entries(statuses));
    } catch {
      // The graph is complete without badges.
      return null;
    }
  }

  /** Reads all of them if a dataset is drawn that was not; returns null otherwise. */
  async readIfNew(graph: IGraph): Promise<Statuses | null> {
    const isNew = graph.nodes.some(
      ({ urn, type, members }) => type === 'dataset' && members === undefined && !this._known.has(urn)
    );
    return isNew && this._known.size < MAX_DATASETS ? this.readAll(graph) : null;
  }

  private _known: ReadonlySet<string> = new Set();
}
