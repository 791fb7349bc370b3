import React from 'react';

const BAR = 14;
const GAP = 10;

/** A bar of a group. */
interface IHorizontalBar {
  /** What distinguishes it from the others of its group; empty for the only one. */
  name: string;
  value: number;
  /** By default that of the theme. */
  color?: string;
}

/** The space of the labels, the bars and their values. */
interface IWidths {
  labels: number;
  bars: number;
  values: number;
}

const WIDTHS: IWidths = { labels: 150, bars: 240, values: 60 };

/** The space of a character of a label. */
const CHARACTER = 6.2;

/** Shortens a label to the space that it has. */
function shorten(label: string, width: number): string {
  const most = Math.floor(width / CHARACTER);
  return label.length > most ? `${label.slice(0, most - 1)}…` : label;
}

/** Groups of horizontal bars with their values, as one image with a text; negative values point to the left of the axis. */
export function HorizontalBars(props: {
  /** What the values are. */
  label: string;
  groups: readonly { label: string; bars: readonly IHorizontalBar[] }[];
  formatValue: (value: number) => string;
  /** The value at full length; by default the greatest one. */
  full?: number;
  widths?: IWidths;
}): React.JSX.Element {
  const { label, groups, formatValue, full, widths = WIDTHS } = props;
  const values = groups.flatMap(({ bars }) => bars.map(({ value }) => value));
  const most = full ?? Math.max(...values.map(Math.abs), Number.MIN_VALUE);
  const hasNegative = values.some(value => value < 0);
  const origin = widths.labels + (hasNegative ? widths.bars / 2 : 0);
  const scale = (hasNegative ? widths.bars / 2 : widths.bars) / most;
  const text = groups
    .map(group => `${group.label}: ${group.bars.map(bar => `${bar.name} ${formatValue(bar.value)}`.trim()).join(', ')}`)
    .join('; ');
  let top = 0;
  const drawn = groups.map(group => {
    const start = top;
    top += group.bars.length * BAR + GAP;
    return { ...group, start };
  });
  const width = widths.labels + widths.bars + widths.values;
  return (
    <svg role="img" aria-label={`${label}. ${text}`} width={width} height={top} viewBox={`0 0 ${width} ${top}`}>
      {drawn.map(group => (
        <g key={group.start}>
          <title>{group.label}</title>
          <text x={widths.labels - 8} y={group.start + (group.bars.length * BAR) / 2 + 4} textAnchor="end">
            {shorten(group.label, widths.labels)}
          </text>
          {group.bars.map((bar, index) => {
            const length = Math.min(Math.abs(bar.value) * scale, widths.bars);
            const y = group.start + index * BAR;
            return (
              <React.Fragment key={bar.name}>
                <rect
                  x={bar.value < 0 ? origin - length : origin}
                  y={y + 1}
                  width={length}
                  height={BAR - 2}
                  style={{ fill: bar.color ?? 'var(--jp-brand-color1)' }}
                />
                <text x={origin + (bar.value < 0 ? 0 : length) + 4} y={y + BAR - 3}>
                  {formatValue(bar.value)}
                </text>
              </React.Fragment>
            );
          })}
        </g>
      ))}
      <line x1={origin} x2={origin} y1={0} y2={top - GAP} style={{ stroke: 'var(--jp-border-color0)' }} />
    </svg>
  );
}
