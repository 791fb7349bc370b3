import type { LabIcon } from '@jupyterlab/ui-components';
import React from 'react';

/** An item of a menu. */
export interface IMenuItem {
  label: string;
  icon: LabIcon;
  run: () => void;
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** A button with a menu (WAI-ARIA menu button). */
export function Menu(props: {
  label: string;
  icon: LabIcon;
  items: readonly IMenuItem[];
  /** Whether the button is a tool in a row, without a border. */
  isTool?: boolean;
}): React.JSX.Element {
  const { label, icon: Icon, items, isTool = false } = props;
  const [isOpen, setIsOpen] = React.useState(false);
  const box = React.useRef<HTMLDivElement>(null);
  const button = React.useRef<HTMLButtonElement>(null);
  const listItems = (): HTMLElement[] => [...(box.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
  React.useEffect(() => {
    if (isOpen) {
      listItems()[0]?.focus();
    }
  }, [isOpen]);
  const close = (): void => {
    setIsOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      close();
    } else if (step !== undefined && isOpen) {
      event.preventDefault();
      const nodes = listItems();
      const current = nodes.indexOf(document.activeElement as HTMLElement);
      nodes[(current + step + nodes.length) % nodes.length]?.focus();
    }
  };
  return (
    <div
      className="jp-Colophon-menuBox"
      ref={box}
      onKeyDown={onKeyDown}
      onBlur={event => !box.current?.contains(event.relatedTarget) && setIsOpen(false)}
    >
      <button
        ref={button}
        type="button"
        className={isTool ? 'jp-Colophon-tool' : 'jp-Colophon-button'}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon.react tag="span" width={isTool ? '14px' : '16px'} />
      </button>
      {isOpen && (
        <div className="jp-Colophon-menu" role="menu" aria-label={label}>
          {items.map(item => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                close();
                item.run();
              }}
            >
              <item.icon.react tag="span" width="16px" />
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
