import type { SearchResults } from '../../generated/api';
import type { ICatalog } from '../../tokens';

const KEY = 'jupyter-colophon:expired-certifications';
const MAX_ENTITIES = 100;
/** Older notifications are forgotten. */
const MAX_REMEMBERED = 1000;

/** Whether a certification expires soon, or has expired. */
export type ExpiryStage = 'expiring' | 'expired';

/** An owned entity whose certification is to be renewed. */
export interface IExpiry {
  stage: ExpiryStage;
  urn: string;
  name: string;
  /** The last day of the certification. */
  until: string;
}

function toExpiry(stage: ExpiryStage, hit: SearchResults['hits'][number]): IExpiry {
  const { urn, displayName, name, certification } = hit;
  return { stage, urn, name: displayName ?? name, until: certification?.until ?? '' };
}

/** Finds certifications of owned entities that expire soon or have expired; each stage of each is found once. */
export class ExpiryCheck {
  constructor(
    private _catalog: ICatalog,
    private _storage: Pick<Storage, 'getItem' | 'setItem'> | null
  ) {}

  /** Returns what was not returned before; empty if the server cannot be reached. */
  async findNew(): Promise<IExpiry[]> {
    const known = this._readKnown();
    const found = (await Promise.all([this._find('expiring'), this._find('expired')])).flat();
    const added = found.filter(expiry => !known.has(getId(expiry)));
    if (added.length > 0) {
      const ids = [...known, ...added.map(getId)].slice(-MAX_REMEMBERED);
      this._storage?.setItem(KEY, JSON.stringify(ids));
    }
    return added;
  }

  private async _find(stage: ExpiryStage): Promise<IExpiry[]> {
    const query = { q: '*', owned: 'teams', certified: stage, facets: 'type', limit: MAX_ENTITIES } as const;
    try {
      const { hits } = await this._catalog.call('search', query);
      return hits.map(hit => toExpiry(stage, hit));
    } catch {
      return [];
    }
  }

  private _readKnown(): Set<string> {
    try {
      const ids: unknown = JSON.parse(this._storage?.getItem(KEY) ?? '[]');
      return new Set(Array.isArray(ids) ? ids.filter(id => typeof id === 'string') : []);
    } catch {
      return new Set();
    }
  }
}

function getId({ stage, urn, until }: IExpiry): string {
  return `${stage} ${until} ${urn}`;
}
