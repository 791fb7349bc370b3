import React from 'react';

/** The side of the drawing area of square charts. */
export const SIDE = 220;
const MARGIN = 44;

/** A chart with two axes of the same length. Its children are drawn from the top left of the area. */
export function SquareChart(props: {
  label: string;
  /** The text alternative. */
  text: string;
  xLabel: string;
  yLabel: string;
  from: string;
  to: string;
  children: React.ReactNode;
}): React.JSX.Element {
  const { label, text, xLabel, yLabel, from, to, children } = props;
  const size = SIDE + MARGIN + 12;
  return (
    <figure>
      <figcaption>{label}</figcaption>
      <svg role="img" aria-label={`${label}. ${text}`} width={size} height={size} viewBox={`0 0 ${size} ${size}`}>
        <g transform={`translate(${MARGIN}, 8)`}>
          <path className="jp-Analytics-guide" d={`M0,${SIDE}L${SIDE},0`} />
          {children}
          <path className="jp-Analytics-axis" d={`M0,0V${SIDE}H${SIDE}`} />
          <text x={0} y={SIDE + 14}>
            {from}
          </text>
          <text x={SIDE} y={SIDE + 14} textAnchor="end">
            {to}
          </text>
          <text x={SIDE / 2} y={SIDE + 30} textAnchor="middle">
            {xLabel}
          </text>
          <text x={-4} y={SIDE} textAnchor="end">
            {from}
          </text>
          <text x={-4} y={10} textAnchor="end">
            {to}
          </text>
          <text transform={`translate(-30, ${SIDE / 2}) rotate(-90)`} textAnchor="middle">
            {yLabel}
          </text>
        </g>
      </svg>
    </figure>
  );
}
