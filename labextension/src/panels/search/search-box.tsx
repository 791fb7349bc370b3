import type { TranslationBundle } from '@jupyterlab/translation';
import { closeIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { useModel } from '../../components/use-model';
import type { ICompletion } from '../../model/search/completion';
import type { SearchModel } from './model';

const LIST_ID = 'jp-colophon-completions';

interface IBoxProps {
  model: SearchModel;
  trans: TranslationBundle;
}

function Completion(props: { option: ICompletion; trans: TranslationBundle }): React.JSX.Element {
  const { option, trans } = props;
  return (
    <>
      <span className="jp-Colophon-completion">{option.text}</span>
      {option.bySystem === true && <span className="jp-Colophon-kind">{trans.__('system')}</span>}
      {option.entities !== undefined && (
        <span className="jp-Colophon-count" aria-label={trans._n('%1 entity', '%1 entities', option.entities)}>
          {option.entities}
        </span>
      )}
    </>
  );
}

/** Returns the text with a completion, and the position after it. A key is followed by its value, all else by a space. */
function complete(text: string, start: number, end: number, option: string): readonly [string, number] {
  const completed = option.endsWith(':') ? option : `${option} `;
  return [text.slice(0, start) + completed + text.slice(end).trimStart(), start + completed.length];
}

/** The search box: a combobox that completes the term at the cursor. */
export function SearchBox({ model, trans }: IBoxProps): React.JSX.Element {
  const { text } = useModel(model);
  const { options, start, end } = useModel(model.completion);
  const [active, setActive] = React.useState(-1);
  const input = React.useRef<HTMLInputElement>(null);
  const isOpen = options.length > 0;
  React.useEffect(() => setActive(-1), [options]);

  const type = (next: string, cursor: number): void => {
    model.setText(next);
    model.completion.update(next, cursor);
  };
  const accept = (option: ICompletion): void => {
    const [next, cursor] = complete(text, start, end, option.text);
    type(next, cursor);
    // After React has set the value, which moves the cursor to its end.
    requestAnimationFrame(() => input.current?.setSelectionRange(cursor, cursor));
  };
  const clear = (): void => {
    model.completion.clear();
    model.setText('');
    void model.refresh();
    input.current?.focus();
  };
  /** Handles a key while completions are shown; returns whether it was one of theirs. */
  const handleListKey = (key: string): boolean => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    const option = options[active] ?? (key === 'Tab' ? options[0] : undefined);
    if (step !== undefined) {
      // One place more than options: the text itself, as it was typed.
      setActive(((active + 1 + step + options.length + 1) % (options.length + 1)) - 1);
    } else if (option !== undefined && (key === 'Enter' || key === 'Tab')) {
      accept(option);
    } else if (key === 'Escape') {
      model.completion.clear();
    } else {
      return false;
    }
    return true;
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (isOpen && !event.shiftKey && handleListKey(event.key)) {
      event.preventDefault();
      event.stopPropagation();
    } else if (event.key === 'Enter') {
      model.completion.clear();
      void model.refresh();
    } else if (event.key === 'Escape' && text !== '') {
      event.preventDefault();
      clear();
    }
  };
  return (
    <div role="search" className="jp-Colophon-box">
      <input
        ref={input}
        type="text"
        role="combobox"
        className="jp-mod-styled"
        aria-label={trans.__('Search metadata')}
        aria-expanded={isOpen}
        aria-controls={LIST_ID}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && active >= 0 ? `${LIST_ID}-${active}` : undefined}
        placeholder={trans.__('Name, tag or key:value')}
        spellCheck={false}
        autoComplete="off"
        maxLength={1000}
        value={text}
        onChange={event => type(event.target.value, event.target.selectionStart ?? event.target.value.length)}
        onKeyDown={onKeyDown}
        onBlur={() => model.completion.clear()}
      />
      {text !== '' && (
        <button
          type="button"
          className="jp-Colophon-icon-button"
          aria-label={trans.__('Clear the search')}
          onClick={clear}
        >
          <closeIcon.react tag="span" width="14px" height="14px" />
        </button>
      )}
      {isOpen && (
        <ul className="jp-Colophon-completions" role="listbox" id={LIST_ID} aria-label={trans.__('Completions')}>
          {options.map((option, index) => (
            <li
              key={option.text}
              id={`${LIST_ID}-${index}`}
              role="option"
              aria-selected={index === active}
              // mousedown comes before the box loses the focus.
              onMouseDown={event => {
                event.preventDefault();
                accept(option);
              }}
            >
              <Completion option={option} trans={trans} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
