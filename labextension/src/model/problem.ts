/** What went wrong with one value: `pointer` is a JSON Pointer into the document that was sent. */
export interface IFault {
  pointer: string;
  message: string;
}

/**
 * Why a call failed, as far as a person has to do something else about it.
 *
 * `store`: the server runs, its store cannot do this now. `unsure`: the store broke off while it committed.
 */
export type ProblemKind =
  'no-extension' | 'unreachable' | 'denied' | 'absent' | 'conflict' | 'invalid' | 'store' | 'unsure' | 'other';

/** Any failure of a call to the catalog. */
export class CatalogProblem extends Error {
  constructor(
    readonly kind: ProblemKind,
    detail: string,
    readonly status: number = 0,
    readonly faults: readonly IFault[] = []
  ) {
    super(detail);
    this.name = 'CatalogProblem';
  }
}

/** A request that was given up because a newer one replaced it. */
export class Superseded extends Error {
  constructor() {
    super('superseded');
    this.name = 'Superseded';
  }
}

/** Anything thrown, as a problem that can be shown. */
export function asProblem(reason: unknown): CatalogProblem {
  if (reason instanceof CatalogProblem) {
    return reason;
  }
  return new CatalogProblem('other', reason instanceof Error ? reason.message : String(reason));
}
