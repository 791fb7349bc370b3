import { computeLayout } from './layout';
import type { IPackedGraph, IPackedLayout } from './packing';
import { listBuffers, packLayout, unpackGraph } from './packing';

/** A request to the worker. */
export interface ITask {
  id: number;
  graph: IPackedGraph;
}

/** The answer to a request; it has the same id. */
export interface IAnswer {
  id: number;
  layout: IPackedLayout;
}

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<ITask>) => void) | null;
  postMessage(message: IAnswer, transfer: ArrayBuffer[]): void;
};

scope.onmessage = event => {
  const { id, graph } = event.data;
  const layout = packLayout(computeLayout(unpackGraph(graph)));
  scope.postMessage({ id, layout }, listBuffers(layout));
};
