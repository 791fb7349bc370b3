import type { IDigraph } from './layering';
import { computeLayout } from './layout';

/** A request to the worker; the answer has the same id. */
export interface ITask {
  id: number;
  graph: IDigraph;
}

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<ITask>) => void) | null;
  postMessage(message: unknown): void;
};

scope.onmessage = event => {
  const { id, graph } = event.data;
  scope.postMessage({ id, layout: computeLayout(graph) });
};
