import React from 'react';
import { HorizontalBars } from '../../horizontal-bars';
import { formatNumber } from '../labels';
import { getLook } from './series';

/** A bar of a group. */
interface IBar {
  /** The index of its series, which has a look. */
  series: number;
  name: string;
  value: number;
}

/** Groups of bars in the colours of their series, with a caption. */
export function Bars(props: {
  label: string;
  groups: readonly { label: string; bars: readonly IBar[] }[];
  /** The value at full length; by default the greatest one. */
  full?: number;
}): React.JSX.Element {
  const { label, groups, ...rest } = props;
  const coloured = groups.map(group => ({
    label: group.label,
    bars: group.bars.map(({ series, name, value }) => ({ name, value, color: getLook(series).color }))
  }));
  return (
    <figure>
      <figcaption>{label}</figcaption>
      <HorizontalBars label={label} groups={coloured} formatValue={formatNumber} {...rest} />
    </figure>
  );
}
