import React from 'react';
import { ProblemNote } from '../../components/problem';
import { RunList } from '../../components/runs';
import { useModel } from '../../components/use-model';
import type { Interval } from '../../model/interval';
import type { IPageProps } from './page';

type Kind = Exclude<Interval['kind'], 'custom'>;

/** The runs of a program, or those that accessed the data, newest first. */
export function Runs({ page }: IPageProps): React.JSX.Element {
  const { model, actions, trans } = page;
  const { runs, runsCursor, runsProblem, interval } = useModel(model);
  const labels: Record<Kind, string> = {
    all: trans.__('All time'),
    hour: trans.__('Last hour'),
    day: trans.__('Last day'),
    week: trans.__('Last week')
  };
  return (
    <section aria-label={trans.__('Runs')}>
      <label className="jp-Colophon-choice">
        {trans.__('Time')}
        <select value={interval.kind} onChange={event => void model.setInterval({ kind: event.target.value as Kind })}>
          {Object.entries(labels).map(([kind, label]) => (
            <option key={kind} value={kind}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {runsProblem && <ProblemNote problem={runsProblem} trans={trans} />}
      {runs && (
        <RunList
          runs={runs}
          label={trans.__('Runs')}
          open={urn => actions.openEntity(urn)}
          openCell={place => actions.openCell(place)}
          trans={trans}
        />
      )}
      {runsCursor !== null && (
        <button type="button" className="jp-Colophon-button" onClick={() => void model.loadMoreRuns()}>
          {trans.__('More')}
        </button>
      )}
    </section>
  );
}
