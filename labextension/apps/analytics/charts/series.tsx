import React from 'react';

/** The look of the models in a chart: colours of the theme, and dashes for people who cannot distinguish them. */
const LOOKS = [
  { color: 'var(--jp-brand-color1)', dash: '' },
  { color: 'var(--jp-warn-color0)', dash: '6 3' },
  { color: 'var(--jp-success-color1)', dash: '2 3' },
  { color: 'var(--jp-error-color1)', dash: '10 3' },
  { color: 'var(--jp-ui-font-color1)', dash: '8 3 2 3' },
  { color: 'var(--jp-info-color1)', dash: '1 2' }
] as const;

/** Returns the look of a series by its index. */
export function getLook(index: number): (typeof LOOKS)[number] {
  return LOOKS[index % LOOKS.length] ?? LOOKS[0];
}

/** The names of the series with their looks. */
export function Legend({ names }: { names: readonly string[] }): React.JSX.Element {
  return (
    <ul className="jp-Analytics-legend">
      {names.map((name, index) => {
        const { color, dash } = getLook(index);
        return (
          <li key={name}>
            <svg width={28} height={10} aria-hidden="true">
              <line x1={0} x2={28} y1={5} y2={5} style={{ stroke: color, strokeWidth: 4 }} strokeDasharray={dash} />
            </svg>
            {name}
          </li>
        );
      })}
    </ul>
  );
}
