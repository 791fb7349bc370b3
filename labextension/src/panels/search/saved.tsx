import type { TranslationBundle } from '@jupyterlab/translation';
import { deleteIcon, saveIcon, searchIcon } from '@jupyterlab/ui-components';
import React from 'react';
import type { ISavedSearch } from '../../model/search/saved-searches';
import { confirmDiscard } from '../../components/confirm-discard';
import { useModel } from '../../components/use-model';
import type { SearchModel } from './model';
import { focusSearch } from './focus-search';
import { Section } from './sections';

interface ISavedProps {
  model: SearchModel;
  trans: TranslationBundle;
}

/** A button that saves the current search. */
export function SaveSearch(props: ISavedProps & { askName: () => Promise<string | null> }): React.JSX.Element | null {
  const { model, trans, askName } = props;
  const state = useModel(model);
  if (!model.canSave || state.text.trim() === '' || !state.answered) {
    return null;
  }
  const save = async (): Promise<void> => {
    const name = (await askName())?.trim() ?? '';
    if (name !== '') {
      await model.save(name);
    }
  };
  return (
    <button
      type="button"
      className="jp-Colophon-icon-button"
      aria-label={trans.__('Save search')}
      title={trans.__('Save search')}
      onClick={() => void save()}
    >
      <saveIcon.react tag="span" width="14px" height="14px" />
    </button>
  );
}

/** The saved searches. */
export function SavedList({ model, trans }: ISavedProps): React.JSX.Element | null {
  const state = useModel(model);
  const confirmDelete = async (saved: ISavedSearch, button: HTMLElement): Promise<void> => {
    const title = trans.__('Delete “%1”?', saved.display_name);
    const body = trans.__('The saved search will be deleted. Its results are not affected.');
    if (await confirmDiscard(title, body, trans.__('Delete'), trans, trans.__('Cancel'))) {
      focusSearch(button);
      await model.deleteSaved(saved);
    }
  };
  if (state.text.trim() !== '' || state.saved.length === 0) {
    return null;
  }
  return (
    <Section title={trans.__('Saved searches')}>
      {state.saved.map(saved => (
        <li key={saved.name} className="jp-Colophon-saved">
          <button
            type="button"
            className="jp-Colophon-item"
            data-saved={saved.name}
            onClick={() => void model.openSaved(saved)}
          >
            <span className="jp-Colophon-typeIcon">
              <searchIcon.react tag="span" width="16px" height="16px" />
            </span>
            <span className="jp-Colophon-name">{saved.display_name}</span>
          </button>
          <button
            type="button"
            className="jp-Colophon-icon-button jp-Colophon-delete"
            aria-label={trans.__('Delete the saved search %1', saved.display_name)}
            title={trans.__('Delete')}
            onClick={event => void confirmDelete(saved, event.currentTarget)}
          >
            <deleteIcon.react tag="span" width="14px" height="14px" />
          </button>
        </li>
      ))}
    </Section>
  );
}
