import { ServerConnection } from '@jupyterlab/services';
import { expect, test } from 'vitest';
import { socketTo } from '../../src/api/socket';
import type { Message } from '../../src/generated/api';

class FakeSocket {
  static last: FakeSocket;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
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

test('a connection resumes after a number, and shows the token only where it must', () => {
  const listener = { said: () => undefined, closed: () => undefined };
  socketTo(settings(false))(17, listener);
  expect(FakeSocket.last.url).toBe('ws://lab.test/hub/colophon/api/changes/ws?after=17');
  socketTo(settings(true))(null, listener);
  expect(FakeSocket.last.url).toBe('ws://lab.test/hub/colophon/api/changes/ws?token=secret');
});

test('messages are handed on, and nothing is heard after closing', () => {
  const said: Message[] = [];
  let closed = 0;
  const connection = socketTo(settings(false))(null, { said: message => said.push(message), closed: () => closed++ });
  const socket = FakeSocket.last;
  socket.onmessage?.({ data: '{"kind": "hello", "head": 4}' });
  socket.onmessage?.({ data: '7' });
  expect(said).toEqual([{ kind: 'hello', head: 4 }]);
  connection.close();
  expect(socket.isClosed).toBe(true);
  expect(socket.onmessage).toBeNull();
  expect(closed).toBe(0);
});
