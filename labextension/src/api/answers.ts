import type { IFault, ProblemKind } from '../model/problem';
import { CatalogProblem } from '../model/problem';

const KINDS: Record<number, ProblemKind> = {
  400: 'invalid',
  401: 'denied',
  403: 'denied',
  404: 'absent',
  412: 'conflict',
  413: 'invalid',
  422: 'invalid'
};

/** What only our own problem documents can say: a proxy's 503 tells nothing about the store. */
const OUR_KINDS: Record<number, ProblemKind> = { ...KINDS, 503: 'store', 507: 'store' };

const COMMIT_UNKNOWN = 'urn:jupyter-colophon:problem:commit-unknown';

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function faults(value: unknown): IFault[] {
  if (!Array.isArray(value)) {
    return [];
  }
  return value.filter(isObject).map(fault => ({
    pointer: typeof fault['pointer'] === 'string' ? fault['pointer'] : '',
    message: typeof fault['message'] === 'string' ? fault['message'] : ''
  }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads an answer that is not a success (RFC 9457).
 *
 * A 404 that is no problem document was not written by us: then the server has no such extension.
 */
export function toProblem(status: number, contentType: string, text: string): CatalogProblem {
  const body = parsed(text);
  const ours = contentType.includes('application/problem+json') && isObject(body);
  if (!ours) {
    const kind = status === 404 ? 'no-extension' : (KINDS[status] ?? 'other');
    return new CatalogProblem(kind, `HTTP ${status}`, status);
  }
  const detail = [body['detail'], body['title']].find(word => typeof word === 'string' && word !== '');
  const kind = body['type'] === COMMIT_UNKNOWN ? 'unsure' : (OUR_KINDS[status] ?? 'other');
  return new CatalogProblem(
    kind,
    typeof detail === 'string' ? detail : `HTTP ${status}`,
    status,
    faults(body['errors'])
  );
}
