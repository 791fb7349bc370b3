import React from 'react';
import { IntervalInputs } from '../../../components/interval-inputs';
import { ProblemNote } from '../../../components/problem';
import { RunList } from '../../../components/runs';
import { useModel } from '../../../components/use-model';
import type { Interval } from '../../../model/interval';
import type { IPageProps } from '../page';
import { RunDetails } from './run-details';
import { RunTimeline } from './run-timeline-view';

type Kind = Interval['kind'];

/** The views of the runs: bars by time, or a list with everything that is known of each. */
type View = 'timeline' | 'list';

function Controls(props: IPageProps & { view: View; setView: (view: View) => void }): React.JSX.Element {
  const { page, view, setView } = props;
  const { model, trans } = page;
  const { interval } = useModel(model);
  const labels: Record<Kind, string> = {
    all: trans.__('All time'),
    hour: trans.__('Last hour'),
    day: trans.__('Last day'),
    week: trans.__('Last week'),
    custom: trans.__('From … to …')
  };
  const views: Record<View, string> = { timeline: trans.__('Timeline'), list: trans.__('List') };
  const choose = (kind: Kind): void =>
    void model.setInterval(kind === 'custom' ? { kind, from: '', to: '' } : { kind });
  return (
    <div className="jp-Colophon-runControls">
      <label className="jp-Colophon-choice">
        {trans.__('Time')}
        <select value={interval.kind} onChange={event => choose(event.target.value as Kind)}>
          {Object.entries(labels).map(([kind, label]) => (
            <option key={kind} value={kind}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <IntervalInputs interval={interval} choose={chosen => void model.setInterval(chosen)} trans={trans} />
      <div role="group" aria-label={trans.__('View')} className="jp-Colophon-actions">
        {Object.entries(views).map(([name, label]) => (
          <button
            key={name}
            type="button"
            className="jp-Colophon-button"
            aria-pressed={view === name}
            onClick={() => setView(name as View)}
          >
            {label}
          </button>
        ))}
      </div>
    </div>
  );
}

/** The runs of a program, or those that accessed the data, in an interval. */
export function Runs({ page }: IPageProps): React.JSX.Element {
  const { model, actions, trans } = page;
  const { runs, runsCursor, runsProblem } = useModel(model);
  const [view, setView] = React.useState<View>('timeline');
  const [selected, setSelected] = React.useState('');
  const run = runs?.find(({ urn }) => urn === selected) ?? runs?.[0];
  return (
    <section aria-label={trans.__('Runs')}>
      <Controls page={page} view={view} setView={setView} />
      {runsProblem && <ProblemNote problem={runsProblem} trans={trans} />}
      {runs && run && view === 'timeline' ? (
        <>
          <RunTimeline page={page} runs={runs} selected={run.urn} select={setSelected} />
          <RunDetails key={run.urn} page={page} urn={run.urn} />
        </>
      ) : (
        runs && (
          <RunList
            runs={runs}
            label={trans.__('Runs')}
            open={urn => actions.openEntity(urn)}
            openCell={place => actions.openCell(place)}
            trans={trans}
          />
        )
      )}
      {runsCursor !== null && (
        <button type="button" className="jp-Colophon-button" onClick={() => void model.loadMoreRuns()}>
          {trans.__('Earlier runs')}
        </button>
      )}
    </section>
  );
}
