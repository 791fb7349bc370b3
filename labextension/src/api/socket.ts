import { URLExt } from '@jupyterlab/coreutils';
import type { ServerConnection } from '@jupyterlab/services';
import type { Message } from '../generated/api';
import type { Connect, IListener } from '../model/feed';
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

/** Connections to `/changes/ws`, signed in like every other socket of JupyterLab. */
export function socketTo(settings: ServerConnection.ISettings): Connect {
  return (after, listener) => {
    const query = new URLSearchParams();
    if (after !== null) {
      query.set('after', String(after));
    }
    if (settings.appendToken && settings.token !== '') {
      query.set('token', settings.token);
    }
    const url = `${URLExt.join(settings.wsUrl, ROOT, 'changes/ws')}?${query.toString()}`;
    const socket = new settings.WebSocket(url);
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
