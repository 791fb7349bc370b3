import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { ISavedSearch } from '../../model/saved-searches';
import { mayDrop } from '../../components/may-drop';
import { useModel } from '../../components/use-model';
import type { SearchModel } from './model';
import { toBox } from './to-box';

interface ISavedProps {
  model: SearchModel;
  trans: TranslationBundle;
}

/** Keeps the search that is shown, under a name. */
export function SaveSearch(props: ISavedProps & { ask: () => Promise<string | null> }): React.JSX.Element | null {
  const { model, trans, ask } = props;
  const state = useModel(model);
  if (!model.keeps || state.text.trim() === '' || !state.answered) {
    return null;
  }
  const save = async (): Promise<void> => {
    const name = (await ask())?.trim() ?? '';
    if (name !== '') {
      await model.save(name);
    }
  };
  return (
    <button type="button" className="jp-Colophon-link" onClick={() => void save()}>
      {trans.__('Save this search')}
    </button>
  );
}

/** Searches that were kept, to be done again. */
export function SavedList({ model, trans }: ISavedProps): React.JSX.Element | null {
  const state = useModel(model);
  const forget = async (saved: ISavedSearch, button: HTMLElement): Promise<void> => {
    const title = trans.__('Delete “%1”?', saved.display_name);
    const body = trans.__('This search is no longer kept then. What it finds stays as it is.');
    if (await mayDrop(title, body, trans.__('Delete'), trans, trans.__('Cancel'))) {
      toBox(button);
      await model.forget(saved);
    }
  };
  if (state.text.trim() !== '' || state.saved.length === 0) {
    return null;
  }
  return (
    <section aria-label={trans.__('Saved searches')}>
      <h3>{trans.__('Saved searches')}</h3>
      <ul className="jp-Colophon-list">
        {state.saved.map(saved => (
          <li key={saved.name} className="jp-Colophon-saved">
            <button
              type="button"
              className="jp-Colophon-item jp-Colophon-key"
              data-saved={saved.name}
              onClick={() => void model.open(saved)}
            >
              <span className="jp-Colophon-name">{saved.display_name}</span>
            </button>
            <button
              type="button"
              className="jp-Colophon-link jp-Colophon-forget"
              aria-label={trans.__('Delete the saved search %1', saved.display_name)}
              onClick={event => void forget(saved, event.currentTarget)}
            >
              {trans.__('Delete')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
