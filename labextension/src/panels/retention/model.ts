import type { ExpiredVersions, Registry, Retention, RetentionRule } from '../../generated/api';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import { toProblem } from '../../model/problem';
import type { ICatalog } from '../../tokens';

type Expired = ExpiredVersions['expired'][number];

/** The seconds of a day. */
export const DAY_S = 86_400;

/** In a rule, any namespace, entity type or aspect. */
export const ANY = '*';

/** What is counted or deleted: what the rules do not keep, or what the edited rules would not keep. */
export type ExpiryKind = 'count' | 'preview' | 'deletion';

/** The versions that are not kept, as far as they are counted or deleted. */
export interface IExpiry {
  kind: ExpiryKind;
  finished: boolean;
  /** By namespace, entity type and aspect. */
  places: readonly Expired[];
}

/** The state of the page of retention rules. */
export interface IRetentionState extends ILiveState {
  /** Null until it is loaded, and without the permission to see it. */
  retention: Retention | null;
  /** The rules as the user edits them; null if they are not edited. */
  draft: readonly RetentionRule[] | null;
  /** The entity types with their aspects; empty until the rules are edited. */
  types: Registry['types'];
  /** Null until versions are counted. */
  expiry: IExpiry | null;
}

/** Identifies what a rule is for. */
export function getPlace({ namespace, entity, aspect }: RetentionRule): string {
  return [namespace, entity, aspect].join('\n');
}

/** Adds numbers of versions by place, sorted by place. */
function addExpired(places: readonly Expired[], found: readonly Expired[]): Expired[] {
  const sums = new Map<string, Expired>();
  for (const item of [...places, ...found]) {
    const key = [item.namespace, item.type, item.aspect].join('\n');
    sums.set(key, { ...item, versions: item.versions + (sums.get(key)?.versions ?? 0) });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

/** Returns the number of all versions. */
export function countVersions({ places }: IExpiry): number {
  return places.reduce((sum, { versions }) => sum + versions, 0);
}

/** Formats rules as the setting in a configuration file. */
export function formatSetting(rules: readonly RetentionRule[]): string {
  const lines = rules.map(({ namespace, entity, aspect, maxVersions, maxAgeInSeconds }) => {
    const places = Object.entries({ namespace, entity, aspect }).filter(([, name]) => name !== ANY);
    const retention = {
      ...(maxVersions === null ? {} : { version: { maxVersions } }),
      ...(maxAgeInSeconds === null ? {} : { time: { maxAgeInSeconds } })
    };
    return `    ${JSON.stringify({ ...Object.fromEntries(places), config: { retention } })},\n`;
  });
  return `c.Colophon.retention = [\n${lines.join('')}]\n`;
}

/** The model of the page of retention rules. */
export class RetentionModel extends LiveModel<IRetentionState> {
  constructor(private _catalog: ICatalog) {
    super(null, { retention: null, draft: null, types: [], expiry: null, busy: false, problem: null });
  }

  /** Whether the rules are edited and differ from those in force. */
  get isDirty(): boolean {
    const { draft, retention } = this.state;
    return draft !== null && JSON.stringify(draft) !== JSON.stringify(retention?.rules);
  }

  /** Starts to edit the rules. */
  async edit(): Promise<void> {
    this.setState({ draft: this.state.retention?.rules ?? [] });
    try {
      this.setState({ types: (await this._catalog.call('listEntityTypes', {})).types });
    } catch (reason) {
      this.setState({ problem: toProblem(reason) });
    }
  }

  /** Discards the edited rules. */
  stopEditing(): void {
    this.setState({ draft: null, expiry: this.state.expiry?.kind === 'preview' ? null : this.state.expiry });
  }

  /** Replaces one of the edited rules, or adds one (`index` is their number); null removes it. */
  setRule(index: number, rule: RetentionRule | null): void {
    const draft = [...(this.state.draft ?? [])];
    draft.splice(index, 1, ...(rule === null ? [] : [rule]));
    const expiry = this.state.expiry?.kind === 'preview' ? null : this.state.expiry;
    this.setState({ draft, expiry });
  }

  /** Counts or deletes the versions that are not kept, in steps until none is left. */
  async apply(kind: ExpiryKind): Promise<void> {
    const body = { rules: [...(this.state.draft ?? [])] };
    let expiry: IExpiry = { kind, finished: false, places: [] };
    let cursor: string | null = '';
    this.setState({ expiry, problem: null });
    try {
      // Another count replaces this one, and so does a change of the edited rules.
      while (cursor !== null && !this.isDisposed && this.state.expiry === expiry) {
        const step: ExpiredVersions =
          kind === 'preview'
            ? await this._catalog.call('previewRetention', { cursor }, { body })
            : await this._catalog.call('applyRetention', { dryRun: kind === 'count', cursor });
        if (this.state.expiry !== expiry) {
          return;
        }
        cursor = step.cursor;
        expiry = { kind, finished: cursor === null, places: addExpired(expiry.places, step.expired) };
        this.setState({ expiry });
      }
    } catch (reason) {
      // What was deleted stays visible.
      this.setState({ expiry: { ...expiry, finished: true }, problem: toProblem(reason) });
    }
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IRetentionState>> {
    return { retention: await this._catalog.call('readRetention', {}, { signal }) };
  }

  protected override onChanges(): void {
    // The rules change with the settings of the server.
  }
}
