import { URLExt } from '@jupyterlab/coreutils';
import type { ServerConnection } from '@jupyterlab/services';
import type { Message } from '../generated/api';
import type { Connect, IListener } from '../model/live/feed';
import { buildPath } from './call';
import { ROOT } from './requests';

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

function dispatchMessage(data: unknown, listener: IListener): void {
  const message: unknown = typeof data === 'string' ? JSON.parse(data) : undefined;
  if (isMessage(message)) {
    listener.onMessage(message);
  }
}

/** Creates connections to the change feed, authenticated like every WebSocket of JupyterLab. */
export function createConnect(settings: ServerConnection.ISettings): Connect {
  return (after, listener) => {
    const path = buildPath('followChanges', after === null ? {} : { after: String(after) });
    const url = new URL(URLExt.join(settings.wsUrl, ROOT) + path);
    if (settings.appendToken && settings.token !== '') {
      url.searchParams.set('token', settings.token);
    }
    const socket = new settings.WebSocket(url.toString());
    socket.onmessage = event => dispatchMessage(event.data, listener);
    socket.onclose = event => listener.onClose(event.code);
    return {
      close: () => {
        socket.onmessage = null;
        socket.onclose = null;
        socket.close();
      }
    };
  };
}
