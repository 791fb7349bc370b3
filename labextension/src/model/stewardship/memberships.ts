import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { Aspect, Change, Memberships } from '../../generated/api';
import type { ICatalog, IChangeFeed } from '../../tokens';
import type { ILiveState } from '../live/live-model';
import { LiveModel } from '../live/live-model';
import { CatalogProblem, toProblem } from '../problem';

const MEMBERSHIP_ASPECT = 'groupMembership';
const INFO_ASPECT = 'corpGroupInfo';
const CHANGE_PAUSE_MS = 300;

/** A user, a team, or an owner that is only a text. */
export type Person = Memberships['members'][number];

/** The members of a team, and the teams of a user. */
export interface IMembershipState extends ILiveState {
  members: readonly Person[];
  teams: readonly Person[];
  /** The number of entities that the user or team owns. */
  owned: number;
  mayChange: boolean;
}

const EMPTY: IMembershipState = { members: [], teams: [], owned: 0, mayChange: false, busy: false, problem: null };

function listTexts(value: Aspect['value'] | undefined, member: string): string[] {
  const items = (value as Record<string, unknown> | undefined)?.[member];
  return Array.isArray(items) ? items.filter(item => typeof item === 'string') : [];
}

/** Who is a member of which team. A membership is written to the user, as DataHub does. */
export class MembershipModel extends LiveModel<IMembershipState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null,
    readonly urn: string
  ) {
    super(feed, EMPTY);
  }

  /** Makes a user a member of a team. */
  async add(user: string, team: string): Promise<void> {
    await this._change(async () => {
      const aspect = await this._readAspect(user, MEMBERSHIP_ASPECT);
      const groups = listTexts(aspect?.value, 'groups');
      if (!groups.includes(team)) {
        await this._write(user, MEMBERSHIP_ASPECT, aspect, { groups: [...groups, team] });
      }
    });
  }

  /** Ends the membership of a user in a team, wherever it is recorded. */
  async remove(user: string, team: string): Promise<void> {
    await this._change(async () => {
      const [membership, info] = await Promise.all([
        this._readAspect(user, MEMBERSHIP_ASPECT),
        this._readAspect(team, INFO_ASPECT)
      ]);
      const groups = listTexts(membership?.value, 'groups');
      const members = listTexts(info?.value, 'members');
      if (groups.includes(team)) {
        await this._write(user, MEMBERSHIP_ASPECT, membership, { groups: groups.filter(other => other !== team) });
      }
      if (members.includes(user)) {
        const value = { ...(info?.value as ReadonlyJSONObject), members: members.filter(other => other !== user) };
        await this._write(team, INFO_ASPECT, info, value);
      }
    });
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IMembershipState>> {
    const query = { q: '*', owner: this.urn, facets: 'type', limit: 0 } as const;
    const [memberships, owned, me] = await Promise.all([
      this._catalog.call('listMemberships', { urn: this.urn }, { signal }),
      this._catalog.call('search', query, { signal }),
      this._catalog.call('readMe', {}, { signal })
    ]);
    const { members, teams } = memberships;
    return { members, teams, owned: owned.total, mayChange: me.scopes.includes('emit') };
  }

  protected override onChanges(changes: readonly Change[]): void {
    if (changes.some(({ aspect }) => aspect === MEMBERSHIP_ASPECT || aspect === INFO_ASPECT)) {
      this.scheduleRefresh(CHANGE_PAUSE_MS);
    }
  }

  /** Reads an aspect; null if it does not exist. */
  private async _readAspect(urn: string, aspect: string): Promise<Aspect | null> {
    try {
      return await this._catalog.call('readAspect', { urn, aspect });
    } catch (reason) {
      if (reason instanceof CatalogProblem && reason.kind === 'not-found') {
        return null;
      }
      throw reason;
    }
  }

  private async _write(urn: string, aspect: string, base: Aspect | null, body: ReadonlyJSONObject): Promise<void> {
    const condition = base === null ? { 'If-None-Match': '*' } : { 'If-Match': `"${base.version}"` };
    await this._catalog.call('writeAspect', { urn, aspect, ...condition }, { body });
  }

  private async _change(act: () => Promise<void>): Promise<void> {
    this.setState({ busy: true });
    try {
      await act();
    } catch (reason) {
      this.setState({ busy: false, problem: toProblem(reason) });
      return;
    }
    await this.refresh();
  }
}
