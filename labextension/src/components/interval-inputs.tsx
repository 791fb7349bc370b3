import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Interval } from '../model/interval';
import { isReversed } from '../model/interval';

/** The inputs of a custom interval; nothing for other intervals. */
export function IntervalInputs(props: {
  interval: Interval;
  choose: (interval: Interval) => void;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { interval, choose, trans } = props;
  if (interval.kind !== 'custom') {
    return null;
  }
  return (
    <div className="jp-Colophon-timeline" role="group" aria-label={trans.__('Time')}>
      <label>
        {trans.__('From')}
        <input
          type="datetime-local"
          value={interval.from}
          aria-invalid={isReversed(interval)}
          onChange={event => choose({ ...interval, from: event.target.value })}
        />
      </label>
      <label>
        {trans.__('To')}
        <input
          type="datetime-local"
          value={interval.to}
          aria-invalid={isReversed(interval)}
          onChange={event => choose({ ...interval, to: event.target.value })}
        />
      </label>
      {isReversed(interval) && (
        <span role="alert" className="jp-Colophon-error">
          {trans.__('From must be before To')}
        </span>
      )}
    </div>
  );
}
