import { URLExt } from '@jupyterlab/coreutils';
import type { ServerConnection } from '@jupyterlab/services';
import type { Message } from '../generated/api';
import type { Connect, IListener } from '../model/feed';
import { operationPath } from './call';
import { ROOT } from './requests';

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

function heard(data: unknown, listener: IListener): void {
  const message: unknown = typeof data === 'string' ? JSON.parse(data) : undefined;
  if (isMessage(message)) {
    listener.said(message);
  }
}

/** Connections to the feed of changes, signed in like every other socket of JupyterLab. */
export function socketTo(settings: ServerConnection.ISettings): Connect {
  return (after, listener) => {
    const path = operationPath('followChanges', after === null ? {} : { after: String(after) });
    const url = new URL(URLExt.join(settings.wsUrl, ROOT) + path);
    if (settings.appendToken && settings.token !== '') {
      url.searchParams.set('token', settings.token);
    }
    const socket = new settings.WebSocket(url.toString());
    socket.onmessage = event => heard(event.data, listener);
    socket.onclose = () => listener.closed();
    return {
      close: () => {
        socket.onmessage = null;
        socket.onclose = null;
        socket.close();
      }
    };
  };
}
