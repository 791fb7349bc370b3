import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { useModel } from '../../components/use-model';
import type { IMatch } from '../../lineage/search';
import { searchGraph } from '../../lineage/search';
import { Icon } from './icons';
import { getNodeName, getNodePlace } from './labels';
import type { LineageModel } from './model';

const MAX_MATCHES = 12;

interface ISearchBoxProps {
  model: LineageModel;
  /** Brings a node, or a column of it, into view. */
  centre: (urn: string, field?: string) => void;
  trans: TranslationBundle;
}

/** Searches the loaded graph while the user types; a chosen node is centred and focused. */
export function SearchBox({ model, centre, trans }: ISearchBoxProps): React.JSX.Element {
  const { whole } = useModel(model);
  const [text, setText] = React.useState('');
  const [isOpen, setOpen] = React.useState(false);
  const [current, setCurrent] = React.useState(0);
  const id = React.useId();
  const matches = isOpen ? searchGraph(whole, text, getNodeName, MAX_MATCHES) : [];
  const choose = async ({ node, column }: IMatch): Promise<void> => {
    setOpen(false);
    setText('');
    await model.reveal(node.urn, column);
    centre(node.urn, column?.field);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const match = matches[current];
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setCurrent((current + step + matches.length) % Math.max(1, matches.length));
    } else if (event.key === 'Enter' && match) {
      event.preventDefault();
      void choose(match);
    } else if (event.key === 'Escape') {
      setOpen(false);
    }
  };
  return (
    <div className="jp-Colophon-searchBox" onBlur={() => setOpen(false)}>
      <Icon name="search" />
      <input
        type="text"
        role="combobox"
        aria-label={trans.__('Search the graph')}
        aria-expanded={matches.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={matches.length > 0 ? `${id}-${current}` : undefined}
        placeholder={trans.__('Search')}
        value={text}
        onChange={event => {
          setText(event.target.value);
          setCurrent(0);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={id} role="listbox" aria-label={trans.__('Matches')} className="jp-Colophon-matches" hidden={!isOpen}>
        {matches.map((match, index) => (
          <div
            key={`${match.node.urn} ${match.column?.field ?? ''}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            // The input must not lose the focus before the click.
            onMouseDown={event => event.preventDefault()}
            onClick={() => void choose(match)}
          >
            <strong>{match.column?.field ?? getNodeName(match.node)}</strong>
            <span>
              {match.column ? trans.__('column of %1', getNodeName(match.node)) : getNodePlace(match.node, trans)}
            </span>
          </div>
        ))}
        {isOpen && text.trim() !== '' && matches.length === 0 && (
          <div role="option" aria-selected={false} aria-disabled="true">
            {trans.__('No match in the loaded graph')}
          </div>
        )}
      </div>
    </div>
  );
}
