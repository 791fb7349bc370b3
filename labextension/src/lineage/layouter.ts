import type { IDisposable } from '@lumino/disposable';
import type { IDigraph } from './layering';
import type { ILayout } from './layout';
import { layout } from './layout';

interface IAnswer {
  id: number;
  layout: ILayout;
}

/** How a worker is made; replaced where there are none. */
export type MakeWorker = () => Worker;

function bundledWorker(): Worker {
  return new Worker(new URL('./worker.js', import.meta.url));
}

/** Lays graphs out in a worker; in this thread where no worker can be had. */
export class Layouter implements IDisposable {
  constructor(private _make: MakeWorker = bundledWorker) {}

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Whether layouts are made off this thread. */
  get threaded(): boolean {
    return this._worker !== null;
  }

  dispose(): void {
    this._isDisposed = true;
    this._worker?.terminate();
    this._worker = null;
    this._waiting.clear();
  }

  /** Where everything goes. Never settles when disposed before the answer. */
  layout(graph: IDigraph): Promise<ILayout> {
    const worker = this._started();
    if (!worker) {
      return Promise.resolve(layout(graph));
    }
    const id = this._next++;
    return new Promise(resolve => {
      this._waiting.set(id, { graph, resolve });
      worker.postMessage({ id, graph });
    });
  }

  private _started(): Worker | null {
    if (this._worker || this._refused) {
      return this._worker;
    }
    try {
      this._worker = this._make();
      this._worker.onmessage = (event: MessageEvent<IAnswer>) => this._answer(event.data);
      this._worker.onerror = event => {
        event.preventDefault();
        this._giveUp();
      };
    } catch {
      // A content security policy may forbid workers.
      this._refused = true;
    }
    return this._worker;
  }

  private _answer(answer: IAnswer): void {
    const waiting = this._waiting.get(answer.id);
    this._waiting.delete(answer.id);
    waiting?.resolve(answer.layout);
  }

  private _giveUp(): void {
    this._refused = true;
    this._worker?.terminate();
    this._worker = null;
    for (const { graph, resolve } of this._waiting.values()) {
      resolve(layout(graph));
    }
    this._waiting.clear();
  }

  private _worker: Worker | null = null;
  private _refused = false;
  private _isDisposed = false;
  private _next = 0;
  private _waiting = new Map<number, { graph: IDigraph; resolve: (layout: ILayout) => void }>();
}
