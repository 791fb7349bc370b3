import React from 'react';
import type { ILiveState, LiveModel } from '../model/live/live-model';

/** Creates a model that is loaded while the component is shown, and disposes of it afterwards; null before. */
export function useLiveModel<M extends LiveModel<ILiveState>>(create: () => M, keys: React.DependencyList): M | null {
  const [model, setModel] = React.useState<M | null>(null);
  React.useEffect(() => {
    const created = create();
    created.show();
    setModel(created);
    return () => {
      setModel(null);
      created.dispose();
    };
    // The keys stand for what `create` reads.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, keys);
  return model;
}
