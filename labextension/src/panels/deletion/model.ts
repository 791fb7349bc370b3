import type { LineageImpact } from '../../generated/api';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import { hasLineage } from '../../model/urns';
import { quoteTerm } from '../../model/search/query-terms';
import type { ICatalog } from '../../tokens';

/** An entity that a deletion affects. */
export interface IAffectedEntity {
  urn: string;
  type: string;
  name: string;
}

/** What depends on an entity. */
export interface IDeletionState extends ILiveState {
  /** The numbers of downstream entities; null for an entity without lineage. */
  impact: LineageImpact | null;
  /** The first of the downstream entities, the nearest first. */
  downstream: readonly IAffectedEntity[];
  /** The first of the entities that refer to it, such as those with a glossary term. */
  carriers: readonly IAffectedEntity[];
  carrierCount: number;
  /** Whether the deletion can be undone: the type has an aspect for it. */
  isUndoable: boolean;
  /** Whether the state is loaded. */
  isLoaded: boolean;
}

const LISTED = 50;
const LEVELS = 20;

/** The filters of search that find what refers to an entity of a type. */
const FILTERS: Readonly<Record<string, string>> = {
  tag: 'tags',
  glossaryTerm: 'terms',
  domain: 'domain',
  corpuser: 'owner',
  corpGroup: 'owner'
};

/** The model of the dialog that deletes an entity: what depends on it. */
export class DeletionModel extends LiveModel<IDeletionState> {
  constructor(
    private _catalog: ICatalog,
    readonly urn: string
  ) {
    super(null, {
      impact: null,
      downstream: [],
      carriers: [],
      carrierCount: 0,
      isUndoable: false,
      isLoaded: false,
      busy: false,
      problem: null
    });
  }

  /** Deletes the entity. Rejects with a `CatalogProblem`. */
  async delete(): Promise<void> {
    const { urn } = this;
    if (this.state.isUndoable) {
      await writeRemoved(this._catalog, urn, true);
    } else {
      await this._catalog.call('deleteEntity', { urn });
    }
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IDeletionState>> {
    const { urn } = this;
    const type = /^urn:li:(\w+):/.exec(urn)?.[1] ?? '';
    const [{ aspects }, lineage, carriers] = await Promise.all([
      this._catalog.call('readEntityType', { type }, { signal }),
      hasLineage(urn) ? this._readDownstream(signal) : {},
      FILTERS[type] === undefined ? {} : this._findCarriers(FILTERS[type], signal)
    ]);
    const isUndoable = aspects.some(({ name }) => name === 'status');
    return { ...lineage, ...carriers, isUndoable, isLoaded: true };
  }

  protected override onChanges(): void {
    // The dialog does not follow the change feed.
  }

  private async _readDownstream(signal: AbortSignal): Promise<Partial<IDeletionState>> {
    const { urn } = this;
    const [impact, lineage] = await Promise.all([
      this._catalog.call('readLineageImpact', { urn }, { signal }),
      this._catalog.call('readLineage', { urn, direction: 'downstream', levels: LEVELS }, { signal })
    ]);
    const downstream = lineage.nodes
      .filter(node => node.urn !== urn && !node.deleted)
      .sort((left, right) => Math.abs(left.level) - Math.abs(right.level))
      .slice(0, LISTED);
    return { impact, downstream };
  }

  private async _findCarriers(key: string, signal: AbortSignal): Promise<Partial<IDeletionState>> {
    const q = quoteTerm(`${key}:${this.urn}`);
    const { hits, total } = await this._catalog.call('search', { q, facets: 'type', limit: LISTED }, { signal });
    return { carriers: hits, carrierCount: total };
  }
}

/** Marks an entity as deleted, or restores it. Rejects with a `CatalogProblem`. */
export async function writeRemoved(catalog: ICatalog, urn: string, removed: boolean): Promise<void> {
  await catalog.call('writeAspect', { urn, aspect: 'status' }, { body: { removed } });
}
