import type { ISignal } from '@lumino/signaling';
import { useCallback, useSyncExternalStore } from 'react';

/** A model that tells when its state is another one. */
interface IObservable<S> {
  readonly state: S;
  readonly changed: ISignal<unknown, unknown>;
}

/** The present state of a model; the component is drawn again when it changes. */
export function useModel<S>(model: IObservable<S>): S {
  const subscribe = useCallback(
    (redraw: () => void) => {
      const listener = (): void => redraw();
      model.changed.connect(listener);
      return () => {
        model.changed.disconnect(listener);
      };
    },
    [model]
  );
  return useSyncExternalStore(subscribe, () => model.state);
}
