import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { EmptyCatalog } from '../../components/empty-catalog';
import { ProblemNote } from '../../components/problem';
import { useModel } from '../../components/use-model';
import { useRegistry } from '../../components/use-registry';
import type { IFollowedSearches, IStarredEntities } from '../../tokens';
import { Chips } from './chips';
import { Filters } from './filters';
import { focusSearch } from './focus-search';
import { FollowedSection, FollowSearch } from './followed';
import { Hits } from './hits';
import { AddedSection } from './added-section';
import type { IAddedSections, ISearchActions } from './index';
import type { ISearchState, SearchModel, SearchSort } from './model';
import { SavedList, SaveSearch } from './saved';
import { SearchBox } from './search-box';
import { SelectionBar } from './selection';
import { RecentSection, StarredSection } from './sections';
import { VocabularyLinks } from './vocabulary-links';

interface ISearchProps {
  model: SearchModel;
  starred: IStarredEntities | null;
  followed: IFollowedSearches | null;
  actions: ISearchActions;
  /** The sections of extensions; null if there is no registry. */
  added: IAddedSections | null;
  trans: TranslationBundle;
}

const STEPS: Record<string, (at: number, last: number) => number> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowUp: at => at - 1,
  Home: () => 0,
  End: (_, last) => last
};

function findBox(panel: HTMLElement): HTMLElement | null {
  return panel.querySelector<HTMLElement>('[role="combobox"]');
}

/** Handles navigation: arrow keys move through the search box and all lists, Escape returns to the box. */
function handleKey(event: React.KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('.jp-Colophon-item')];
  const box = findBox(event.currentTarget);
  const index = items.indexOf(document.activeElement as HTMLElement);
  const inBox = document.activeElement === box;
  if (event.key === 'Escape' && !inBox) {
    box?.focus();
    return;
  }
  const step = inBox && event.key !== 'ArrowDown' ? undefined : STEPS[event.key];
  if (step && (inBox || index >= 0)) {
    event.preventDefault();
    const next = step(index, items.length - 1);
    (next < 0 ? box : items[next])?.focus();
  }
}

/** Returns the result as a sentence for a live region. */
function summarize(state: ISearchState, trans: TranslationBundle): string {
  if (state.problem || !state.answered) {
    return state.busy ? trans.__('Searching…') : '';
  }
  if (state.text.trim() === '') {
    return '';
  }
  return state.isLowerBound
    ? trans.__('At least %1 entities', state.total.toLocaleString())
    : trans._n('%1 entity', '%1 entities', state.total);
}

function SortSelect({ model, trans }: ISearchProps): React.JSX.Element {
  const { sort } = useModel(model);
  const labels: Record<SearchSort, string> = {
    relevance: trans.__('Relevance'),
    name: trans.__('Name'),
    updated: trans.__('Recently changed')
  };
  return (
    <select
      className="jp-Colophon-sort"
      aria-label={trans.__('Sort by')}
      value={sort}
      onChange={event => model.setSort(event.target.value as SearchSort)}
    >
      {Object.entries(labels).map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** The number of hits, their order, and a button that saves the search. */
function ResultsToolbar(props: ISearchProps): React.JSX.Element {
  const { model, followed, actions, trans } = props;
  const state = useModel(model);
  return (
    <div className="jp-Colophon-summary">
      <p role="status" aria-live="polite">
        {summarize(state, trans)}
      </p>
      {state.hits.length > 1 && <SortSelect {...props} />}
      {followed && <FollowSearch model={model} followed={followed} trans={trans} />}
      <SaveSearch model={model} trans={trans} askName={() => actions.askName()} />
    </div>
  );
}

/** The ranks of our own sections, between which extensions add theirs. */
const RANKS = { starred: 200, recent: 300, saved: 400, followed: 500, browse: 600 };

/** What to do if nothing can be listed before a search. */
function EmptyStart({ model, trans }: Pick<ISearchProps, 'model' | 'trans'>): React.JSX.Element | null {
  const { answered, problem, permission, recent, saved } = useModel(model);
  const isUnreadable = permission?.readable === 'nothing';
  if (!answered || problem || recent.length > 0 || (saved.length > 0 && !isUnreadable)) {
    return null;
  }
  return (
    <EmptyCatalog permission={permission} trans={trans}>
      {permission?.readable === 'part'
        ? trans.__('There is nothing yet that you may read.')
        : trans.__('The catalog is empty. Read or write a table in a notebook, or tag one with %metadata tag.')}
    </EmptyCatalog>
  );
}

/** What is shown before a search: our own sections and those of extensions, by rank. */
function Start({ model, starred, followed, actions, added, trans }: ISearchProps): React.JSX.Element {
  const items = useRegistry(added?.registry ?? null);
  const sections = [
    {
      rank: RANKS.starred,
      id: 'starred',
      view: starred && <StarredSection model={model} starred={starred} openers={actions} trans={trans} />
    },
    { rank: RANKS.recent, id: 'recent', view: <RecentSection model={model} openers={actions} trans={trans} /> },
    { rank: RANKS.saved, id: 'saved', view: <SavedList model={model} trans={trans} /> },
    {
      rank: RANKS.followed,
      id: 'followed',
      view: followed && <FollowedSection model={model} followed={followed} trans={trans} />
    },
    {
      rank: RANKS.browse,
      id: 'browse',
      view: <VocabularyLinks showVocabulary={tab => actions.showVocabulary(tab)} trans={trans} />
    },
    ...items.map(section => ({
      rank: section.rank,
      id: section.id,
      view: added && (
        <AddedSection
          section={section}
          metadata={added.metadata}
          search={query => void model.search(query)}
          trans={trans}
        />
      )
    }))
  ].sort((left, right) => left.rank - right.rank);
  return (
    <>
      {sections.map(({ id, view }) => (
        <React.Fragment key={id}>{view}</React.Fragment>
      ))}
      <EmptyStart model={model} trans={trans} />
    </>
  );
}

/** What to do next when nothing was found. */
function NoHits({ model, trans }: ISearchProps): React.JSX.Element | null {
  const { answered, busy, problem, suggestions, filters, text, permission } = useModel(model);
  if (!answered || busy || problem) {
    return null;
  }
  return (
    <div className="jp-Colophon-noHits">
      <EmptyCatalog permission={permission} trans={trans}>
        {trans.__('No results in keys, tags, values, names or columns.')}
      </EmptyCatalog>
      {suggestions.length > 0 && (
        <p>
          {trans.__('Did you mean:')}{' '}
          {suggestions.map(suggestion => (
            <button
              key={suggestion}
              type="button"
              className="jp-Colophon-link jp-Colophon-item"
              onClick={event => {
                focusSearch(event.currentTarget);
                void model.search(suggestion);
              }}
            >
              {suggestion}
            </button>
          ))}
        </p>
      )}
      {Object.keys(filters).length > 0 && (
        <button
          type="button"
          className="jp-Colophon-link jp-Colophon-item"
          onClick={event => {
            focusSearch(event.currentTarget);
            void model.search(text);
          }}
        >
          {trans.__('Search without filters')}
        </button>
      )}
    </div>
  );
}

function Results(props: ISearchProps & { leave: () => void }): React.JSX.Element {
  const { model, actions, trans, leave } = props;
  const { hits } = useModel(model);
  return hits.length === 0 ? (
    <NoHits {...props} />
  ) : (
    <section aria-label={trans.__('Entities')} className="jp-Colophon-entities">
      <Hits model={model} actions={actions} trans={trans} leave={leave} />
    </section>
  );
}

/** The body of the search panel. */
export function SearchBody(props: ISearchProps): React.JSX.Element {
  const { model, trans } = props;
  const state = useModel(model);
  const panel = React.useRef<HTMLDivElement>(null);
  const isStart = state.text.trim() === '';
  return (
    <div className="jp-Colophon-searchBody" onKeyDown={handleKey} aria-busy={state.busy} ref={panel}>
      <SearchBox model={model} trans={trans} />
      <Chips model={model} trans={trans} />
      {!isStart && <Filters model={model} trans={trans} />}
      <ResultsToolbar {...props} />
      {!isStart && <SelectionBar model={model} editEntities={urns => props.actions.editEntities(urns)} trans={trans} />}
      {state.problem && <ProblemNote problem={state.problem} trans={trans} retry={() => void model.refresh()} />}
      <div className="jp-Colophon-results" data-start={isStart}>
        {isStart ? (
          <Start {...props} />
        ) : (
          <Results {...props} leave={() => panel.current && findBox(panel.current)?.focus()} />
        )}
      </div>
    </div>
  );
}
