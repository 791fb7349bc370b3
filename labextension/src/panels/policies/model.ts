import type { Access, Aspect, Change, Policies, PolicyCheckResult, PolicyContent } from '../../generated/api';
import { AspectEditor } from '../../model/editing/editor';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import type { CatalogProblem } from '../../model/problem';
import { toProblem } from '../../model/problem';
import type { ICatalog, IChangeFeed } from '../../tokens';

/** An item of the list of policies. */
export type Policy = Policies['policies'][number];
/** What may be done. */
export type Permission = Access['permission'];

export const PERMISSIONS = ['read', 'annotate', 'emit', 'edit', 'govern', 'delete', 'admin'] as const;

const TYPE = 'accessPolicy';
const ASPECT = 'accessRules';
const ENABLED = { enabled: true };
/** The pause before the list is loaded again after a change. */
const CHANGE_PAUSE_MS = 300;
/** The pause in editing before the names in the draft are checked. */
const CHECK_PAUSE_MS = 500;

/** A question who may do what. */
export interface IAccessQuestion {
  /** Empty for the user, or with groups for any of their members. */
  user: string;
  groups: readonly string[];
  permission: Permission;
  urn: string;
}

/** The state of the page of access policies. */
export interface IPoliciesState extends ILiveState {
  /** Null until it is loaded, and without the permission to see it. */
  policies: Policies | null;
  /** The policy whose rules are shown; null if there is none. */
  content: PolicyContent | null;
  /** The form of a stored or new policy; null if none is edited. */
  editor: AspectEditor | null;
  /** Names in the draft that nothing has, and what is wrong in it. */
  check: PolicyCheckResult | null;
  /** The answer to the last question; null if there is none. */
  access: Access | null;
  accessProblem: CatalogProblem | null;
}

/** Returns the URN of the policy with a name. */
function makePolicyUrn(name: string): string {
  return `urn:li:${TYPE}:${name}`;
}

/** The model of the page of access policies. */
export class PoliciesModel extends LiveModel<IPoliciesState> {
  constructor(
    private _catalog: ICatalog,
    feed: IChangeFeed | null
  ) {
    super(feed, {
      policies: null,
      content: null,
      editor: null,
      check: null,
      access: null,
      accessProblem: null,
      busy: false,
      problem: null
    });
  }

  /** Whether there are unsaved changes. */
  get isDirty(): boolean {
    return this.state.editor?.isDirty ?? false;
  }

  /** The members of the groups in the settings, by group. */
  get members(): ReadonlyMap<string, readonly string[]> {
    return new Map(this.state.policies?.groups.map(({ name, users }) => [name, users]));
  }

  override dispose(): void {
    window.clearTimeout(this._checkTimer);
    this.state.editor?.dispose();
    super.dispose();
  }

  /** Shows the rules of a policy. */
  async showRules(policy: string): Promise<void> {
    this.stopEditing();
    await this._try(async () => {
      this.setState({ content: await this._catalog.call('readPolicy', { policy }) });
    });
  }

  /** Opens the form of a stored policy. */
  async edit(policy: string): Promise<void> {
    await this._try(async () => {
      const { version, value } = await this._catalog.call('readAspect', { urn: policy, aspect: ASPECT });
      // The form shows that a policy counts unless it is disabled.
      await this._open(policy, { version, value: { ...ENABLED, ...value } });
    });
  }

  /** Opens the form of a new policy; resolves to whether the name is free. */
  async create(name: string): Promise<boolean> {
    const urn = makePolicyUrn(name);
    if (this.state.policies?.policies.some(({ policy }) => policy === urn)) {
      return false;
    }
    await this._try(() => this._open(urn, { version: 0, value: ENABLED }));
    return true;
  }

  /** Closes the form or the rules. */
  stopEditing(): void {
    window.clearTimeout(this._checkTimer);
    this.state.editor?.dispose();
    this.setState({ editor: null, content: null, check: null });
  }

  /** Deletes a stored policy. */
  async delete(policy: string): Promise<void> {
    await this._try(async () => {
      await this._catalog.call('deleteEntity', { urn: policy });
      if (this.state.editor?.urn === policy || this.state.content?.policy === policy) {
        this.stopEditing();
      }
      await this.refresh();
    });
  }

  /** Asks who may do what, and by which rule. */
  async ask({ user, groups, permission, urn }: IAccessQuestion): Promise<void> {
    try {
      const parameters = { urn, permission, user, groups: groups.join(',') };
      this.setState({ access: await this._catalog.call('readAccess', parameters), accessProblem: null });
    } catch (reason) {
      this.setState({ access: null, accessProblem: toProblem(reason) });
    }
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IPoliciesState>> {
    return { policies: await this._catalog.call('listPolicies', {}, { signal }) };
  }

  protected override onChanges(changes: readonly Change[]): void {
    const own = changes.filter(({ type }) => type === TYPE);
    const { editor } = this.state;
    for (const { urn, aspect, version, actor } of own) {
      if (editor?.urn === urn && aspect === ASPECT) {
        editor.onNewVersion(version, actor);
      }
    }
    if (own.length > 0) {
      this.scheduleRefresh(CHANGE_PAUSE_MS);
    }
  }

  private async _open(urn: string, base: Pick<Aspect, 'version' | 'value'>): Promise<void> {
    const { aspects } = await this._catalog.call('readEntityType', { type: TYPE });
    const spec = aspects.find(({ name }) => name === ASPECT);
    this.stopEditing();
    if (spec === undefined || this.isDisposed) {
      return;
    }
    const editor = new AspectEditor(this._catalog, urn, spec, base);
    editor.changed.connect(this._scheduleCheck, this);
    editor.saved.connect(() => {
      this.stopEditing();
      void this.refresh();
    });
    this.setState({ editor });
    this._scheduleCheck();
  }

  /** Checks the draft after a pause. */
  private _scheduleCheck(): void {
    const draft = this.state.editor?.state.draft;
    if (draft !== undefined && draft !== this._checkedDraft) {
      window.clearTimeout(this._checkTimer);
      this._checkTimer = window.setTimeout(() => void this._check(draft), CHECK_PAUSE_MS);
    }
  }

  private async _check(draft: object): Promise<void> {
    this._checkedDraft = draft;
    // Without an answer, nothing is reported; saving reports what is wrong.
    const check = await this._catalog
      .call('checkPolicy', {}, { body: { policy: this.state.editor?.urn ?? '', document: draft } })
      .catch(() => null);
    if (this.state.editor?.state.draft === draft) {
      this.setState({ check });
    }
  }

  private async _try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (reason) {
      this.setState({ problem: toProblem(reason) });
    }
  }

  private _checkTimer = 0;
  private _checkedDraft: object | null = null;
}
