import { useSyncExternalStore } from 'react';
import type { ICalls, PanelModel } from './panel-model';

/** Returns the state of a model, and renders the component again after each change. */
export function usePanelModel<State extends object>(model: PanelModel<State>): Readonly<State & ICalls> {
  return useSyncExternalStore(model.subscribe, () => model.state);
}
