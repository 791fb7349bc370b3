import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import { CatalogProblem, Superseded } from '../model/problem';
import type { IAppMethod } from '../tokens';

/** The root of system applications, relative to the base URL of the server. */
const APPS = 'colophon/v3/namespaces/system/apps';

/** Returns the message of an error of a handler. */
function readMessage(status: number, text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : `HTTP ${status}`;
  } catch {
    return `HTTP ${status}`;
  }
}

/** Calls a method of a system application. Rejects with a `CatalogProblem`, or with `Superseded` if it was aborted. */
export async function callAppMethod(
  settings: ServerConnection.ISettings,
  app: string,
  { method, path, body, service = 'service', kind = 'service', signal }: IAppMethod & { signal: AbortSignal }
): Promise<unknown> {
  const services = kind === 'spark' ? 'spark' : 'services';
  const parts = [APPS, encodeURIComponent(app), services, encodeURIComponent(service), 'methods'];
  const url = URLExt.join(settings.baseUrl, ...parts) + path;
  const init: RequestInit = { method, signal, headers: { Accept: 'application/json' } };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { ...init.headers, 'Content-Type': 'application/json' };
  }
  try {
    const response = await ServerConnection.makeRequest(url, init, settings);
    const text = await response.text();
    if (!response.ok) {
      throw new CatalogProblem('other', readMessage(response.status, text), response.status);
    }
    if (response.headers.get('Content-Type')?.startsWith('text/')) {
      return text;
    }
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch (reason) {
    if (signal.aborted) {
      throw new Superseded();
    }
    if (reason instanceof ServerConnection.NetworkError) {
      throw new CatalogProblem('unreachable', reason.message);
    }
    throw reason;
  }
}
