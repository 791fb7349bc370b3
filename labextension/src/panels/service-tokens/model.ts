import type { IssuedServiceToken, ServiceToken, ServiceTokenCreation } from '../../generated/api';
import type { ILiveState } from '../../model/live/live-model';
import { LiveModel } from '../../model/live/live-model';
import { toProblem } from '../../model/problem';
import type { ICatalog } from '../../tokens';

/** What a token may permit. */
export const SCOPES = ['read', 'annotate', 'emit', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];
/** For how many days a token is valid unless the user chooses. */
export const DEFAULT_DAYS = 90;

/** The state of the page of service tokens. */
export interface IServiceTokensState extends ILiveState {
  tokens: readonly ServiceToken[];
  /** The token that was just created or rotated; null once the user has closed it. */
  issued: IssuedServiceToken | null;
}

/** Splits a list of namespaces, separated by commas or blanks; null if it is empty. */
export function parseNamespaces(text: string): string[] | null {
  const names = [...new Set(text.split(/[\s,]+/).filter(name => name !== ''))];
  return names.length > 0 ? names : null;
}

/** Returns whether a token is no longer accepted. */
export function isExpired(token: ServiceToken, now: number): boolean {
  return Date.parse(token.expires) <= now;
}

/** The model of the page of service tokens. */
export class ServiceTokensModel extends LiveModel<IServiceTokensState> {
  constructor(private _catalog: ICatalog) {
    super(null, { tokens: [], issued: null, busy: false, problem: null });
  }

  /** Creates a token, which is shown once; resolves to whether it was created. */
  async create(body: ServiceTokenCreation): Promise<boolean> {
    return this._issue(() => this._catalog.call('createServiceToken', {}, { body }));
  }

  /** Replaces a token by a new one, which is shown once; the earlier one is accepted for some more seconds. */
  async rotate(name: string, overlapSeconds: number): Promise<boolean> {
    return this._issue(() => this._catalog.call('rotateServiceToken', { name }, { body: { overlapSeconds } }));
  }

  /** Ends a token and its connections. */
  async revoke(name: string): Promise<void> {
    try {
      await this._catalog.call('revokeServiceToken', { name });
    } catch (reason) {
      this.setState({ problem: toProblem(reason) });
      return;
    }
    if (this.state.issued?.name === name) {
      this.closeIssued();
    }
    await this.refresh();
  }

  /** Forgets the token that was just created or rotated. */
  closeIssued(): void {
    this.setState({ issued: null });
  }

  protected override async load(signal: AbortSignal): Promise<Partial<IServiceTokensState>> {
    const { serviceTokens } = await this._catalog.call('listServiceTokens', {}, { signal });
    return { tokens: serviceTokens };
  }

  protected override onChanges(): void {
    // Tokens are not in the change log.
  }

  private async _issue(call: () => Promise<IssuedServiceToken>): Promise<boolean> {
    try {
      this.setState({ issued: await call() });
    } catch (reason) {
      this.setState({ problem: toProblem(reason) });
      return false;
    }
    await this.refresh();
    return true;
  }
}
