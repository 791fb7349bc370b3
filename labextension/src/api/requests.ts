import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import type { IOperation } from '../generated/operations';
import { CatalogProblem, Superseded } from '../model/problem';
import { toProblem } from './answers';

/** Where our API lives below the server's base URL. */
export const ROOT = 'colophon/api';

export interface IRequest {
  method: IOperation['method'];
  body?: object | string | undefined;
  /** The type of the body, if it is not JSON. */
  contentType?: string | undefined;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

function init(request: IRequest): RequestInit {
  const { method, body, contentType = 'application/json', headers = {}, signal } = request;
  const wanted: RequestInit = { method, headers: { Accept: 'application/json', ...headers } };
  if (body !== undefined) {
    wanted.body = typeof body === 'string' ? body : JSON.stringify(body);
    wanted.headers = { ...wanted.headers, 'Content-Type': contentType };
  }
  if (signal) {
    wanted.signal = signal;
  }
  return wanted;
}

/** The one place that talks to the server: it adds token and XSRF, and turns failures into problems. */
export async function send<T>(settings: ServerConnection.ISettings, path: string, request: IRequest): Promise<T> {
  const url = URLExt.join(settings.baseUrl, ROOT) + path;
  try {
    const response = await ServerConnection.makeRequest(url, init(request), settings);
    const text = await response.text();
    if (!response.ok) {
      throw toProblem(response.status, response.headers.get('Content-Type') ?? '', text);
    }
    // A removal is answered without a body.
    return (text === '' ? undefined : JSON.parse(text)) as T;
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
