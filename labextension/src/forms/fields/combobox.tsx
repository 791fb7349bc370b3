import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

const MAX_CHOICES = 50;

interface IComboboxProps {
  id: string;
  value: string;
  choices: readonly string[];
  placeholder: string | undefined;
  describedBy: string;
  invalid: boolean;
  required: boolean;
  trans: TranslationBundle;
  onChange: (text: string) => void;
  onLeave: () => void;
}

/** The state of the list: the index of the active choice (-1 for none), and whether typing filters it. */
interface IList {
  open: boolean;
  activeIndex: number;
  isFiltering: boolean;
}

const CLOSED: IList = { open: false, activeIndex: -1, isFiltering: false };

function filterChoices(choices: readonly string[], typed: string): readonly string[] {
  const text = typed.toLowerCase();
  return choices.filter(choice => choice.toLowerCase().includes(text));
}

type Move = (list: IList, count: number) => IList;

const MOVES: Record<string, Move> = {
  ArrowDown: (list, count) => ({ ...list, open: true, activeIndex: count === 0 ? -1 : (list.activeIndex + 1) % count }),
  ArrowUp: (list, count) => ({
    ...list,
    open: true,
    activeIndex: count === 0 ? -1 : (Math.max(list.activeIndex, 0) + count - 1) % count
  })
};

interface IListProps {
  id: string;
  choices: readonly string[];
  activeIndex: number;
  label: string;
  select: (choice: string) => void;
}

function Choices({ id, choices, activeIndex, label, select }: IListProps): React.JSX.Element {
  const list = React.useRef<HTMLUListElement>(null);
  React.useEffect(() => {
    const option = list.current?.children[activeIndex] as HTMLElement | undefined;
    option?.scrollIntoView?.({ block: 'nearest' });
  }, [activeIndex]);
  return (
    <ul className="jp-Colophon-choices" role="listbox" id={`${id}__list`} aria-label={label} ref={list}>
      {choices.map((choice, index) => (
        <li
          key={choice}
          id={`${id}__choice${index}`}
          role="option"
          aria-selected={index === activeIndex}
          // mousedown comes before the field loses the focus.
          onMouseDown={event => {
            event.preventDefault();
            select(choice);
          }}
        >
          {choice}
        </li>
      ))}
    </ul>
  );
}

/** A text field with a list of choices (WAI-ARIA combobox with a listbox); other values can be typed. */
export function Combobox(props: IComboboxProps): React.JSX.Element {
  const { id, value, choices, describedBy, invalid, trans, onChange, onLeave } = props;
  const [list, setList] = React.useState<IList>(CLOSED);
  const shown = (list.isFiltering ? filterChoices(choices, value) : choices).slice(0, MAX_CHOICES);
  const open = list.open && shown.length > 0;
  const selectChoice = (choice: string): void => {
    onChange(choice);
    setList(CLOSED);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const move = MOVES[event.key];
    const choice = shown[list.activeIndex];
    if (move) {
      event.preventDefault();
      setList(move(list, shown.length));
    } else if (event.key === 'Enter' && open && choice !== undefined) {
      event.preventDefault();
      selectChoice(choice);
    } else if (event.key === 'Escape' && open) {
      event.stopPropagation();
      setList(CLOSED);
    }
  };
  return (
    <div className="jp-Colophon-combobox">
      <input
        id={id}
        role="combobox"
        aria-expanded={open}
        aria-controls={`${id}__list`}
        aria-autocomplete="list"
        aria-activedescendant={open && list.activeIndex >= 0 ? `${id}__choice${list.activeIndex}` : undefined}
        aria-describedby={describedBy}
        aria-invalid={invalid}
        aria-required={props.required}
        autoComplete="off"
        spellCheck={false}
        placeholder={props.placeholder}
        value={value}
        onChange={event => {
          onChange(event.target.value);
          setList({ open: true, activeIndex: -1, isFiltering: true });
        }}
        onClick={() => setList({ ...CLOSED, open: true })}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setList(CLOSED);
          onLeave();
        }}
      />
      <span className="jp-Colophon-combobox-arrow" aria-hidden="true" />
      {open && (
        <Choices
          id={id}
          choices={shown}
          activeIndex={list.activeIndex}
          label={trans.__('Suggestions')}
          select={selectChoice}
        />
      )}
    </div>
  );
}
