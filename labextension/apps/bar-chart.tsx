import React from 'react';

/** A bar: its length, and what is shown of it when the pointer is on it. */
export interface IBar {
  label: string;
  value: number;
}

/** Bars in a row, such as a histogram, as one image with a label. */
export function BarChart(props: {
  bars: readonly IBar[];
  label: string;
  width: number;
  height: number;
  /** The value of a bar of full height; by default, the largest one. */
  most?: number;
  color?: string;
}): React.JSX.Element {
  const { bars, label, width, height, color = 'var(--jp-brand-color1)' } = props;
  const most = props.most ?? Math.max(1, ...bars.map(({ value }) => value));
  const step = width / Math.max(1, bars.length);
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
      {bars.map((bar, at) => {
        // Small values are visible, and absent ones are not.
        const length = bar.value > 0 ? Math.max(1, (bar.value / most) * height) : 0;
        return (
          <rect key={at} x={at * step} y={height - length} width={Math.max(1, step - 1)} height={length} fill={color}>
            <title>{`${bar.label}: ${bar.value}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
