/** An error of one value; `pointer` is a JSON Pointer into the request body. */
export interface IValidationError {
  pointer: string;
  message: string;
}

/**
 * The kinds of failures that need different advice.
 *
 * `held`: the change waits for review. `store`: the store is unavailable. `commit-unknown`: the connection to the store was lost during a commit.
 */
export type ProblemKind =
  | 'no-extension'
  | 'unreachable'
  | 'denied'
  | 'not-found'
  | 'conflict'
  | 'held'
  | 'invalid'
  | 'store'
  | 'commit-unknown'
  | 'other';

/** A failed call of the catalog. */
export class CatalogProblem extends Error {
  constructor(
    readonly kind: ProblemKind,
    detail: string,
    readonly status: number = 0,
    readonly errors: readonly IValidationError[] = []
  ) {
    super(detail);
    this.name = 'CatalogProblem';
  }
}

/** A request that was cancelled because a newer one replaced it. */
export class Superseded extends Error {
  constructor() {
    super('superseded');
    this.name = 'Superseded';
  }
}

/** Converts any error to a problem for display. */
export function toProblem(reason: unknown): CatalogProblem {
  if (reason instanceof CatalogProblem) {
    return reason;
  }
  return new CatalogProblem('other', reason instanceof Error ? reason.message : String(reason));
}
