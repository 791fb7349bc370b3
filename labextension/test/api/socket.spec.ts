import { ServerConnection } from '@jupyterlab/services';
import { expect, test } from 'vitest';
import { createConnect } from '../../src/api/socket';
import type { Message } from '../../src/generated/api';

class FakeSocket {
  static last: FakeSocket;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  isClosed = false;
  constructor(readonly url: string) {
    FakeSocket.last = this;
  }
  close(): void {
    this.isClosed = true;
  }
}

function settings(token: boolean): ServerConnection.ISettings {
  return ServerConnection.makeSettings({
    baseUrl: 'http://lab.test/hub/',
    wsUrl: 'ws://lab.test/hub/',
    token: 'secret',
    appendToken: token,
    WebSocket: FakeSocket as unknown as typeof WebSocket
  });
}

test('a connection sends cursor and token if needed', () => {
  const listener = { onMessage: () => undefined, onClose: () => undefined };
  createConnect(settings(false))(17, listener);
  expect(FakeSocket.last.url).toBe('ws://lab.test/hub/colophon/api/changes/ws?after=17');
  createConnect(settings(true))(null, listener);
  expect(FakeSocket.last.url).toBe('ws://lab.test/hub/colophon/api/changes/ws?token=secret');
});

test('messages are dispatched until the connection is closed', () => {
  const messages: Message[] = [];
  const codes: number[] = [];
  const connection = createConnect(settings(false))(null, {
    onMessage: message => messages.push(message),
    onClose: code => codes.push(code)
  });
  const socket = FakeSocket.last;
  socket.onmessage?.({ data: '{"kind": "hello", "head": 4}' });
  socket.onmessage?.({ data: '7' });
  expect(messages).toEqual([{ kind: 'hello', head: 4 }]);
  socket.onclose?.({ code: 4403 });
  expect(codes).toEqual([4403]);
  connection.close();
  expect(socket.isClosed).toBe(true);
  expect([socket.onmessage, socket.onclose]).toEqual([null, null]);
});
