import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { useModel } from '../../components/use-model';
import { focusSearch } from './focus-search';
import type { SearchModel } from './model';

/** The number of selected hits, and what can be done with them. */
export function SelectionBar(props: {
  model: SearchModel;
  editEntities: (urns: readonly string[]) => void;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { model, editEntities, trans } = props;
  const { hits, selected } = useModel(model);
  const bar = React.useRef<HTMLDivElement>(null);
  if (selected.size === 0) {
    return null;
  }
  return (
    <div className="jp-Colophon-selection" role="group" aria-label={trans.__('Selection')} ref={bar}>
      <span role="status">{trans._n('%1 selected', '%1 selected', selected.size)}</span>
      <button type="button" className="jp-Colophon-button jp-mod-primary" onClick={() => editEntities([...selected])}>
        {trans.__('Edit…')}
      </button>
      {selected.size < hits.length && (
        <button type="button" className="jp-Colophon-button" onClick={() => model.selectAll()}>
          {trans.__('All %1', hits.length.toLocaleString())}
        </button>
      )}
      <button
        type="button"
        className="jp-Colophon-button"
        onClick={() => {
          focusSearch(bar.current);
          model.clearSelection();
        }}
      >
        {trans.__('Clear')}
      </button>
    </div>
  );
}
