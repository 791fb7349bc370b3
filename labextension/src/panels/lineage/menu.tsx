import React from 'react';
import type { IconName } from './icons';
import { ControlName, Icon } from './icons';

/** An action in a menu. */
export interface IMenuItem {
  label: string;
  onClick: () => void;
}

/** Moves the focus between the items of a menu. */
function moveFocus(menu: HTMLElement | null, key: string): boolean {
  const items = [...(menu?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const steps: Record<string, number> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1
  };
  const next = steps[key];
  if (next === undefined) {
    return false;
  }
  items[next]?.focus();
  return true;
}

/** A button that opens a menu. Escape closes it, and so does leaving it. */
export function MenuButton(props: { icon: IconName; label: string; items: readonly IMenuItem[] }): React.JSX.Element {
  const { icon, label, items } = props;
  const [isOpen, setOpen] = React.useState(false);
  const root = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => {
    if (isOpen) {
      root.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    }
  }, [isOpen]);
  const close = (): void => {
    setOpen(false);
    root.current?.querySelector('button')?.focus();
  };
  return (
    <div
      ref={root}
      className="jp-Colophon-menuButton"
      onBlur={event => !event.currentTarget.contains(event.relatedTarget) && setOpen(false)}
      onKeyDown={event => {
        if (isOpen && event.key === 'Escape') {
          close();
        } else if (isOpen && moveFocus(root.current, event.key)) {
          event.preventDefault();
        }
      }}
    >
      <button
        type="button"
        className="jp-Colophon-iconButton"
        data-control={icon}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={icon} />
        <ControlName icon={icon} label={label} />
      </button>
      {isOpen && (
        <div role="menu" aria-label={label} className="jp-Colophon-lineageMenu">
          {items.map(item => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                close();
                item.onClick();
              }}
            >
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
