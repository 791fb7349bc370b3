import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

const SHOWN_MOST = 50;

interface IComboboxProps {
  id: string;
  value: string;
  choices: readonly string[];
  placeholder: string | undefined;
  described: string;
  invalid: boolean;
  required: boolean;
  trans: TranslationBundle;
  onChange: (text: string) => void;
  onLeave: () => void;
}

/** The state of the list: which choice the arrow keys are at (-1 for none), and whether typing has narrowed it. */
interface IList {
  open: boolean;
  at: number;
  narrowed: boolean;
}

const CLOSED: IList = { open: false, at: -1, narrowed: false };

function fitting(choices: readonly string[], text: string): readonly string[] {
  const wanted = text.toLowerCase();
  return choices.filter(choice => choice.toLowerCase().includes(wanted));
}

type Move = (list: IList, count: number) => IList;

const MOVES: Record<string, Move> = {
  ArrowDown: (list, count) => ({ ...list, open: true, at: count === 0 ? -1 : (list.at + 1) % count }),
  ArrowUp: (list, count) => ({ ...list, open: true, at: count === 0 ? -1 : (Math.max(list.at, 0) + count - 1) % count })
};

interface IListProps {
  id: string;
  shown: readonly string[];
  at: number;
  label: string;
  take: (choice: string) => void;
}

function Choices({ id, shown, at, label, take }: IListProps): React.JSX.Element {
  const list = React.useRef<HTMLUListElement>(null);
  React.useEffect(() => {
    const option = list.current?.children[at] as HTMLElement | undefined;
    option?.scrollIntoView?.({ block: 'nearest' });
  }, [at]);
  return (
    <ul className="jp-Colophon-choices" role="listbox" id={`${id}__list`} aria-label={label} ref={list}>
      {shown.map((choice, index) => (
        <li
          key={choice}
          id={`${id}__choice${index}`}
          role="option"
          aria-selected={index === at}
          // Before the field loses the keyboard.
          onMouseDown={event => {
            event.preventDefault();
            take(choice);
          }}
        >
          {choice}
        </li>
      ))}
    </ul>
  );
}

/** A text field with a list of choices (WAI-ARIA combobox with a listbox); what is not in the list may be typed. */
export function Combobox(props: IComboboxProps): React.JSX.Element {
  const { id, value, choices, described, invalid, trans, onChange, onLeave } = props;
  const [list, setList] = React.useState<IList>(CLOSED);
  const shown = (list.narrowed ? fitting(choices, value) : choices).slice(0, SHOWN_MOST);
  const open = list.open && shown.length > 0;
  const take = (choice: string): void => {
    onChange(choice);
    setList(CLOSED);
  };
  const press = (event: React.KeyboardEvent): void => {
    const move = MOVES[event.key];
    const choice = shown[list.at];
    if (move) {
      event.preventDefault();
      setList(move(list, shown.length));
    } else if (event.key === 'Enter' && open && choice !== undefined) {
      event.preventDefault();
      take(choice);
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
        aria-activedescendant={open && list.at >= 0 ? `${id}__choice${list.at}` : undefined}
        aria-describedby={described}
        aria-invalid={invalid}
        aria-required={props.required}
        autoComplete="off"
        spellCheck={false}
        placeholder={props.placeholder}
        value={value}
        onChange={event => {
          onChange(event.target.value);
          setList({ open: true, at: -1, narrowed: true });
        }}
        onClick={() => setList({ ...CLOSED, open: true })}
        onKeyDown={press}
        onBlur={() => {
          setList(CLOSED);
          onLeave();
        }}
      />
      <span className="jp-Colophon-combobox-arrow" aria-hidden="true" />
      {open && <Choices id={id} shown={shown} at={list.at} label={trans.__('Suggestions')} take={take} />}
    </div>
  );
}
