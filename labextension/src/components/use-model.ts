import type { ISignal } from '@lumino/signaling';
import { useCallback, useSyncExternalStore } from 'react';

/** A model that signals changes of its state. */
interface IObservable<S> {
  readonly state: S;
  readonly changed: ISignal<unknown, unknown>;
}

/** Returns the state of a model, and renders the component again when it changes. */
export function useModel<S>(model: IObservable<S>): S {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const listener = (): void => onChange();
      model.changed.connect(listener);
      return () => {
        model.changed.disconnect(listener);
      };
    },
    [model]
  );
  return useSyncExternalStore(subscribe, () => model.state);
}
