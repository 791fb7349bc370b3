import React from 'react';
import { ProblemNote } from '../../../components/problem';
import { RelativeTime } from '../../../components/relative-time';
import { useLiveModel } from '../../../components/use-live-model';
import { useModel } from '../../../components/use-model';
import type { PipelineExecution } from '../../../generated/api';
import { DataCheck } from '../../../model/quality/data-check';
import type { IPage, IPageProps } from '../page';

/** Checks the data of the dataset on the server. */
export function CheckNow({ page }: IPageProps): React.JSX.Element | null {
  const { model, services } = page;
  const { metadata } = services;
  const check = useLiveModel(() => new DataCheck(metadata, metadata.feed, model.urn), [metadata, model]);
  return check && <CheckOfModel page={page} model={check} />;
}

function CheckOfModel({ page, model }: { page: IPage; model: DataCheck }): React.JSX.Element {
  const { trans } = page;
  const { check, isActing, problem, actionProblem } = useModel(model);
  const isActive = check?.ended === null;
  const shown = actionProblem ?? problem;
  return (
    <div className="jp-Colophon-qualityRun">
      {isActive ? (
        <button type="button" className="jp-Colophon-button" onClick={() => void model.stop()}>
          {trans.__('Stop the check')}
        </button>
      ) : (
        <button
          type="button"
          className="jp-Colophon-button"
          title={trans.__('Read the data on the server, and check the expectations')}
          // A disabled button would lose the focus.
          aria-disabled={isActing}
          onClick={() => void (isActing || model.start())}
        >
          {trans.__('Check now')}
        </button>
      )}
      <span role="status" className="jp-Colophon-note">
        {check && <Progress page={page} check={check} />}
      </span>
      {shown && <ProblemNote problem={shown} trans={trans} />}
    </div>
  );
}

/** How far the check is, or how it ended. */
function Progress({ page, check }: { page: IPage; check: PipelineExecution }): React.JSX.Element {
  const { trans } = page;
  const { status, started, problem } = check;
  switch (status) {
    case 'running':
      return (
        <>
          {trans.__('Checking the data, started')} <RelativeTime time={started} trans={trans} />
        </>
      );
    case 'succeeded':
      return <>{trans.__('The data was checked.')}</>;
    case 'killed':
      return <>{trans.__('The check was stopped.')}</>;
    case 'failed':
      return <>{problem === '' ? trans.__('The check failed.') : trans.__('The check failed: %1', problem)}</>;
  }
}
