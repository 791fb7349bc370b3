import React from 'react';

/** The outlines of the icons of the toolbar, in a square of 24. */
const PATHS = {
  time: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm0 2a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm-1 2h2v4.600l3.400 2-1 1.700-4.400-2.600z',
  columns: 'M3 4h18v16H3zm2 2v3h14V6zm0 5v2.500h14V11zm0 4.500V18h14v-2.500z',
  variables:
    'M7 4C5 4 5 6 5 8s0 4-2 4c2 0 2 2 2 4s0 4 2 4v-2c-1 0-1-2-1-3s0-2-1-3c1-1 1-2 1-3s0-3 1-3zm10 0v2c1 0 1 2 1 3s0 2 1 3c-1 1-1 2-1 3s0 3-1 3v2c2 0 2-2 2-4s0-4 2-4c-2 0-2-2-2-4s0-4-2-4zM9 9h2l1 2 1-2h2l-2 3 2 3h-2l-1-2-1 2H9l2-3z',
  control: 'M3 11h3v2H3zm5 0h3v2H8zm5 0h3v2h-3zM17 7l5 5-5 5z',
  table: 'M3 4h18v16H3zm2 2v3h6V6zm8 0v3h6V6zm-8 5v3h6v-3zm8 0v3h6v-3zm-8 5v2h6v-2zm8 0v2h6v-2z',
  legend: 'M4 5h4v4H4zm6 1h10v2H10zm-6 5h4v4H4zm6 1h10v2H10zm-6 5h4v4H4zm6 1h10v2H10z',
  zoomOut: 'M5 11h14v2H5z',
  zoomIn: 'M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z',
  fit: 'M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z',
  export: 'M11 3h2v9l3-3 1.400 1.400L12 15.800l-5.400-5.400L8 9l3 3zM4 17h2v2h12v-2h2v4H4z',
  play: 'M7 4.500 19 12 7 19.500z',
  pause: 'M7 5h4v14H7zm6 0h4v14h-4z',
  actions: 'M4 6h16v2H4zm0 5h16v2H4zm0 5h16v2H4z',
  search:
    'M10 4a6 6 0 0 1 4.900 9.500l4.800 4.800-1.400 1.400-4.800-4.800A6 6 0 1 1 10 4zm0 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  direction: 'M8 6v3h8V6l5 6-5 6v-3H8v3l-5-6z',
  levels: 'M4 5h6v4H4zm0 10h6v4H4zm10-5h6v4h-6zM11 6h2v3h-1zm0 10h1v2h-1z',
  colour: 'M12 3s6 6.500 6 11a6 6 0 1 1-12 0c0-4.500 6-11 6-11zm0 3.300C10.400 8.300 8 11.700 8 14a4 4 0 0 0 4 4z',
  group: 'M3 3h8v2H5v6H3zm10 0h8v8h-2V5h-6zM3 13h2v6h6v2H3zm16 0h2v8h-8v-2h6zM8 8h8v8H8z'
};

export type IconName = keyof typeof PATHS;

/** An icon of the lineage panel; its button or label has the name. */
export function Icon({ name }: { name: IconName }): React.JSX.Element {
  return (
    <svg className="jp-Colophon-icon" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} fill="currentColor" />
    </svg>
  );
}

/** The name of a control, which is shown if there is room. */
export function ControlName({ icon, label }: { icon: IconName; label: string }): React.JSX.Element {
  return (
    <span className="jp-Colophon-controlName" data-icon={icon}>
      {label}
    </span>
  );
}

/** A button with an icon, and its name if there is room; `pressed` makes it a toggle. */
export function IconButton(props: {
  icon: IconName;
  label: string;
  title?: string;
  pressed?: boolean;
  disabled?: boolean;
  onClick: () => void;
}): React.JSX.Element {
  const { icon, label, title, pressed, disabled, onClick } = props;
  return (
    <button
      type="button"
      className="jp-Colophon-iconButton"
      aria-label={label}
      title={title ?? label}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
      <ControlName icon={icon} label={label} />
    </button>
  );
}

/** A choice with an icon, and its name if there is room. */
export function IconSelect<T extends string>(props: {
  icon: IconName;
  label: string;
  value: T;
  choices: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}): React.JSX.Element {
  const { icon, label, value, choices, onChange } = props;
  return (
    <label className="jp-Colophon-iconSelect" title={label}>
      <Icon name={icon} />
      <ControlName icon={icon} label={label} />
      <select
        data-control={icon}
        aria-label={label}
        value={value}
        onChange={event => onChange(event.target.value as T)}
      >
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
