import React from 'react';
import { formatNumber } from '../labels';
import { getLook } from './series';

const LABEL = 150;
const LENGTH = 240;
const VALUE = 60;
const BAR = 14;
const GAP = 10;

/** A bar of a group. */
interface IBar {
  /** The index of its series, which has a look. */
  series: number;
  name: string;
  value: number;
}

/** Shortens a label to the space that it has. */
function shorten(label: string): string {
  return label.length > 24 ? `${label.slice(0, 23)}…` : label;
}

/** Groups of horizontal bars with their values; negative values point to the left of the axis. */
export function Bars(props: {
  label: string;
  groups: readonly { label: string; bars: readonly IBar[] }[];
  /** The value at full length; by default the greatest one. */
  full?: number;
}): React.JSX.Element {
  const { label, groups, full } = props;
  const values = groups.flatMap(({ bars }) => bars.map(({ value }) => value));
  const most = full ?? Math.max(...values.map(Math.abs), Number.MIN_VALUE);
  const hasNegative = values.some(value => value < 0);
  const origin = LABEL + (hasNegative ? LENGTH / 2 : 0);
  const scale = (hasNegative ? LENGTH / 2 : LENGTH) / most;
  const text = groups
    .map(
      group => `${group.label}: ${group.bars.map(bar => `${bar.name} ${formatNumber(bar.value)}`.trim()).join(', ')}`
    )
    .join('; ');
  let top = 0;
  const drawn = groups.map(group => {
    const start = top;
    top += group.bars.length * BAR + GAP;
    return { ...group, start };
  });
  const width = LABEL + LENGTH + VALUE;
  return (
    <figure>
      <figcaption>{label}</figcaption>
      <svg role="img" aria-label={`${label}. ${text}`} width={width} height={top} viewBox={`0 0 ${width} ${top}`}>
        {drawn.map(group => (
          <g key={group.label}>
            <title>{group.label}</title>
            <text x={LABEL - 8} y={group.start + (group.bars.length * BAR) / 2 + 4} textAnchor="end">
              {shorten(group.label)}
            </text>
            {group.bars.map((bar, index) => {
              const length = Math.min(Math.abs(bar.value) * scale, LENGTH);
              const y = group.start + index * BAR;
              return (
                <React.Fragment key={bar.name}>
                  <rect
                    x={bar.value < 0 ? origin - length : origin}
                    y={y + 1}
                    width={length}
                    height={BAR - 2}
                    style={{ fill: getLook(bar.series).color }}
                  />
                  <text x={origin + (bar.value < 0 ? 0 : length) + 4} y={y + BAR - 3}>
                    {formatNumber(bar.value)}
                  </text>
                </React.Fragment>
              );
            })}
          </g>
        ))}
        <line className="jp-Analytics-axis" x1={origin} x2={origin} y1={0} y2={top - GAP} />
      </svg>
    </figure>
  );
}
