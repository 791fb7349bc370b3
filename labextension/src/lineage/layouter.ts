import type { IDisposable } from '@lumino/disposable';
import type { IDigraph } from './layering';
import type { ILayout } from './layout';
import { computeLayout } from './layout';
import { listBuffers, packGraph, unpackLayout } from './packing';
import type { IAnswer, ITask } from './worker';

/** Creates a worker; replaced if workers are unavailable. */
export type CreateWorker = () => Worker;

function createBundledWorker(): Worker {
  return new Worker(new URL('./worker.js', import.meta.url));
}

/** Computes layouts in a worker, or in this thread if no worker is available. */
export class Layouter implements IDisposable {
  constructor(private _createWorker: CreateWorker = createBundledWorker) {}

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Whether layouts are computed in a worker. */
  get usesWorker(): boolean {
    return this._worker !== null;
  }

  dispose(): void {
    this._isDisposed = true;
    this._worker?.terminate();
    this._worker = null;
    this._pending.clear();
  }

  /** Starts the worker, so that it is ready when a graph has been loaded. */
  start(): void {
    this._getWorker();
  }

  /** Computes a layout. The promise never settles if this is disposed before the answer. */
  computeLayout(graph: IDigraph): Promise<ILayout> {
    const worker = this._getWorker();
    if (!worker) {
      return Promise.resolve(computeLayout(graph));
    }
    const id = this._nextId++;
    return new Promise(resolve => {
      this._pending.set(id, { graph, resolve });
      const task: ITask = { id, graph: packGraph(graph) };
      worker.postMessage(task, listBuffers(task.graph));
    });
  }

  private _getWorker(): Worker | null {
    if (this._worker || this._isUnavailable || this._isDisposed) {
      return this._worker;
    }
    try {
      this._worker = this._createWorker();
      this._worker.onmessage = (event: MessageEvent<IAnswer>) => this._onAnswer(event.data);
      this._worker.onerror = event => {
        event.preventDefault();
        this._fallBack();
      };
    } catch {
      // A content security policy may forbid workers.
      this._isUnavailable = true;
    }
    return this._worker;
  }

  private _onAnswer(answer: IAnswer): void {
    const pending = this._pending.get(answer.id);
    this._pending.delete(answer.id);
    pending?.resolve(unpackLayout(answer.layout));
  }

  private _fallBack(): void {
    this._isUnavailable = true;
    this._worker?.terminate();
    this._worker = null;
    for (const { graph, resolve } of this._pending.values()) {
      resolve(computeLayout(graph));
    }
    this._pending.clear();
  }

  private _worker: Worker | null = null;
  private _isUnavailable = false;
  private _isDisposed = false;
  private _nextId = 0;
  private _pending = new Map<number, { graph: IDigraph; resolve: (layout: ILayout) => void }>();
}
