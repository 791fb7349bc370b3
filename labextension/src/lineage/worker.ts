import type { IDigraph } from './layering';
import { layout } from './layout';

/** A question to the worker; the answer carries the same number. */
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
  scope.postMessage({ id, layout: layout(graph) });
};
