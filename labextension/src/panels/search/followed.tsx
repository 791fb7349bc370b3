import type { TranslationBundle } from '@jupyterlab/translation';
import { bellIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { useModel } from '../../components/use-model';
import { formatSearch, getSearchId } from '../../model/search/followed-searches';
import type { IFollowedSearches } from '../../tokens';
import type { SearchModel } from './model';
import { focusSearch } from './focus-search';
import { Section } from './sections';

interface IFollowedProps {
  model: SearchModel;
  followed: IFollowedSearches;
  trans: TranslationBundle;
}

/** A button that follows the current search: new hits are notified. */
export function FollowSearch({ model, followed, trans }: IFollowedProps): React.JSX.Element | null {
  const { text, answered } = useModel(model);
  useModel(followed);
  if (text.trim() === '' || !answered) {
    return null;
  }
  const isFollowed = followed.has(model.current);
  return (
    <button
      type="button"
      className="jp-Colophon-icon-button"
      aria-label={trans.__('Follow search')}
      aria-pressed={isFollowed}
      title={isFollowed ? trans.__('Stop notifying of new hits') : trans.__('Get a notification of new hits')}
      onClick={() => void followed.toggle(model.current)}
    >
      <bellIcon.react tag="span" width="14px" height="14px" />
    </button>
  );
}

/** The searches that the user follows. */
export function FollowedSection({ model, followed, trans }: IFollowedProps): React.JSX.Element | null {
  const searches = useModel(followed);
  return searches.length === 0 ? null : (
    <Section title={trans.__('Followed searches')}>
      {searches.map(search => (
        <li key={getSearchId(search)} className="jp-Colophon-saved">
          <button
            type="button"
            className="jp-Colophon-item"
            onClick={() => void model.search(search.query, search.filters)}
          >
            <span className="jp-Colophon-typeIcon">
              <bellIcon.react tag="span" width="16px" height="16px" />
            </span>
            <span className="jp-Colophon-name">{formatSearch(search)}</span>
          </button>
          <button
            type="button"
            className="jp-Colophon-icon-button jp-Colophon-delete"
            aria-label={trans.__('Stop following %1', formatSearch(search))}
            title={trans.__('Stop following')}
            onClick={event => {
              focusSearch(event.currentTarget);
              void followed.toggle(search);
            }}
          >
            <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
    </Section>
  );
}
