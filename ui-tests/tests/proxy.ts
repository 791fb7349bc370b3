import { connect, createServer, type Server, type Socket } from 'node:net';

/** Forwards connections to the server of the tests; stopped, it is an outage of that server for a browser. */
export class Proxy {
  /** `target` is the address of a page of the server. */
  constructor(private _target: URL) {}

  /** The base URL of the server through the proxy. */
  get url(): string {
    const base = /^.*?\/(?=lab)/.exec(this._target.pathname)?.[0] ?? '/';
    return `http://127.0.0.1:${this._port}${base}`;
  }

  /** Listens, after the first time at the same port. */
  async start(): Promise<void> {
    const server = createServer(socket => this._forward(socket));
    await new Promise<void>(resolve => server.listen(this._port, '127.0.0.1', resolve));
    this._server = server;
    this._port = (server.address() as { port: number }).port;
  }

  /** Ends all connections, and refuses further ones. */
  async stop(): Promise<void> {
    const closed = new Promise(resolve => this._server?.close(resolve));
    this._sockets.forEach(socket => socket.destroy());
    await closed;
  }

  private _forward(socket: Socket): void {
    const upstream = connect(Number(this._target.port), this._target.hostname);
    for (const end of [socket, upstream]) {
      this._sockets.add(end);
      end.on('error', () => undefined);
      end.on('close', () => {
        this._sockets.delete(end);
        socket.destroy();
        upstream.destroy();
      });
    }
    socket.pipe(upstream).pipe(socket);
  }

  private _port = 0;
  private _server: Server | null = null;
  private _sockets = new Set<Socket>();
}
