import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import type { IOperation } from '../generated/operations';
import { CatalogProblem, Superseded } from '../model/problem';
import { PROBLEM_TYPE, toProblem } from './answers';

/** The root of our API, relative to the base URL of the server. */
export const ROOT = 'colophon/api';

export interface IRequest {
  method: IOperation['method'];
  body?: object | string | undefined;
  /** The type of the body if it is not JSON: a text, or a file. */
  contentType?: string | undefined;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

function toRequestInit(request: IRequest): RequestInit {
  const { method, body, contentType = 'application/json', headers = {}, signal } = request;
  const result: RequestInit = { method, headers: { Accept: 'application/json', ...headers } };
  if (body !== undefined) {
    // A patch is JSON with a type of its own.
    const isJson = typeof body !== 'string' && contentType.endsWith('json');
    result.body = isJson ? JSON.stringify(body) : (body as BodyInit);
    result.headers = { ...result.headers, 'Content-Type': contentType };
  }
  if (signal) {
    result.signal = signal;
  }
  return result;
}

/** Sends a request with token and XSRF header. Rejects with a `CatalogProblem` if it fails. */
export async function send<T>(settings: ServerConnection.ISettings, path: string, request: IRequest): Promise<T> {
  const url = URLExt.join(settings.baseUrl, ROOT) + path;
  try {
    const response = await ServerConnection.makeRequest(url, toRequestInit(request), settings);
    const text = await response.text();
    const type = response.headers.get('Content-Type') ?? '';
    // A change that waits for review was not made, though its status is 202.
    if (!response.ok || type.includes(PROBLEM_TYPE)) {
      throw toProblem(response.status, type, text);
    }
    // A deletion has an empty response, and an export has lines of JSON.
    return (type.includes('ndjson') ? text : text === '' ? undefined : JSON.parse(text)) as T;
  } catch (reason) {
    if (request.signal?.aborted) {
      throw new Superseded();
    }
    if (reason instanceof ServerConnection.NetworkError) {
      throw new CatalogProblem('unreachable', reason.message);
    }
    throw reason;
  }
}
