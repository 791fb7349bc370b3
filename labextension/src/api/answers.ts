import type { IValidationError, ProblemKind } from '../model/problem';
import { CatalogProblem } from '../model/problem';

/** The type of problem documents (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json';

const KINDS: Record<number, ProblemKind> = {
  400: 'invalid',
  401: 'denied',
  403: 'denied',
  404: 'not-found',
  412: 'conflict',
  413: 'invalid',
  422: 'invalid'
};

/** Kinds that only our own problem documents imply: the 503 of a proxy is not about the store. */
const OUR_KINDS: Record<number, ProblemKind> = { ...KINDS, 202: 'held', 503: 'store', 507: 'store' };

const COMMIT_UNKNOWN = 'urn:jupyter-colophon:problem:commit-unknown';

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readErrors(value: unknown): IValidationError[] {
  if (!Array.isArray(value)) {
    return [];
  }
  return value.filter(isObject).map(fault => ({
    pointer: typeof fault['pointer'] === 'string' ? fault['pointer'] : '',
    message: typeof fault['message'] === 'string' ? fault['message'] : ''
  }));
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Converts an unsuccessful response (RFC 9457).
 *
 * A 404 without a problem document was not sent by our extension, so the server does not have it.
 */
export function toProblem(status: number, contentType: string, text: string): CatalogProblem {
  const body = tryParse(text);
  const ours = contentType.includes(PROBLEM_TYPE) && isObject(body);
  if (!ours) {
    const kind = status === 404 ? 'no-extension' : (KINDS[status] ?? 'other');
    return new CatalogProblem(kind, `HTTP ${status}`, status);
  }
  const detail = [body['detail'], body['title']].find(word => typeof word === 'string' && word !== '');
  const kind = body['type'] === COMMIT_UNKNOWN ? 'commit-unknown' : (OUR_KINDS[status] ?? 'other');
  return new CatalogProblem(
    kind,
    typeof detail === 'string' ? detail : `HTTP ${status}`,
    status,
    readErrors(body['errors'])
  );
}
