import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { findStageOfError } from './model';
import type { IWorkbench } from './workbench';

/** All errors of the pipeline; each selects the stage that it concerns. */
export function Problems(props: { bench: IWorkbench; trans: TranslationBundle }): React.JSX.Element {
  const { bench, trans } = props;
  if (bench.errors.length === 0) {
    return <p className="jp-Colophon-note">{trans.__('No errors.')}</p>;
  }
  return (
    <ul className="jp-Colophon-problems" aria-label={trans.__('Errors')}>
      {bench.errors.map((fault, index) => {
        const stage = findStageOfError(bench.model.draft, fault);
        const name = stage === null ? trans.__('Settings of the pipeline') : bench.stages[stage]?.stage.name;
        return (
          <li key={index}>
            <button type="button" className="jp-Colophon-link" onClick={() => bench.model.select(stage)}>
              {name}
            </button>{' '}
            {fault.message} <code>{fault.pointer}</code>
          </li>
        );
      })}
    </ul>
  );
}
