import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { getStatusLabel } from '../../components/labels';
import { SourceText } from '../../components/source-text';
import { useModel } from '../../components/use-model';
import type { PipelineExecution, Run } from '../../generated/api';
import { getValueAt } from '../../model/schemas/pointer';
import { StageTable } from '../run/stage-table';
import { sortFacts } from '../run/stages';
import type { IWorkbench } from './workbench';

interface IRunViewProps {
  bench: IWorkbench;
  /** Opens the page of a run. */
  open: (urn: string) => void;
  /** Saves the pipeline; returns whether it is saved. */
  save: () => Promise<boolean>;
  trans: TranslationBundle;
}

/** Values of the arguments that the pipeline reads, for checks, previews and runs. */
function Arguments({ bench, trans }: Pick<IRunViewProps, 'bench' | 'trans'>): React.JSX.Element | null {
  const { arguments: values, check } = useModel(bench.model);
  const defaults = getValueAt(bench.model.draft, '/metadata/arguments') as Record<string, string> | undefined;
  const names = check?.arguments ?? [];
  const id = React.useId();
  if (names.length === 0) {
    return null;
  }
  return (
    <fieldset className="jp-Colophon-category jp-Colophon-arguments">
      <legend>{trans.__('Arguments')}</legend>
      <p className="jp-Colophon-help">{trans.__('For checks, previews and runs. They are recorded with the run.')}</p>
      {names.map(name => (
        <div key={name} className="jp-Colophon-field">
          <label htmlFor={`${id}-${name}`}>{name}</label>
          <input
            id={`${id}-${name}`}
            value={values[name] ?? ''}
            placeholder={defaults?.[name] ?? ''}
            spellCheck={false}
            onChange={event => bench.model.setArgument(name, event.target.value)}
            // Enter would save the form around the canvas.
            onKeyDown={event => event.key === 'Enter' && event.preventDefault()}
          />
        </div>
      ))}
    </fieldset>
  );
}

function RunStatus(props: {
  run: Run | null;
  execution: PipelineExecution | null;
  open: (urn: string) => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { run, execution, open, trans } = props;
  // The process knows first that the run has ended.
  const status = execution && execution.ended !== null ? execution.status : (run?.status ?? 'running');
  return (
    <>
      <p role="status">
        {run || status !== 'running' ? trans.__('Run: %1', getStatusLabel(status, trans)) : trans.__('Spark starts …')}{' '}
        {run && (
          <button type="button" className="jp-Colophon-link" onClick={() => open(run.urn)}>
            {trans.__('Open run')}
          </button>
        )}
      </p>
      {execution && execution.problem !== '' && (
        <div className="jp-Colophon-problem" role="alert">
          <strong>{trans.__('The run failed')}</strong>
          <p>{execution.problem}</p>
        </div>
      )}
    </>
  );
}

/** The shown run: its status, its stages and its log. */
function Progress(props: {
  bench: IWorkbench;
  open: (urn: string) => void;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { bench, open, trans } = props;
  const { shownRun, execution } = useModel(bench.runs);
  const own = shownRun === null || shownRun.urn === execution?.run ? execution : null;
  const { stages, log } = sortFacts(shownRun ?? { facts: {}, status: 'running' });
  const text = own ? own.log : log;
  if (!own && !shownRun) {
    return null;
  }
  return (
    <div className="jp-Colophon-progress">
      <RunStatus run={shownRun} execution={own} open={open} trans={trans} />
      {stages.length > 0 && <StageTable stages={stages} trans={trans} />}
      {text !== '' && (
        <>
          <h3>{trans.__('Log')}</h3>
          <SourceText label={trans.__('Log')} text={text} />
        </>
      )}
    </div>
  );
}

/** Runs the pipeline, and shows the progress and the log of the run. */
export function RunView({ bench, open, save, trans }: IRunViewProps): React.JSX.Element {
  const { execution, shownRun } = useModel(bench.runs);
  useModel(bench.model.editor);
  const { isDirty, version } = bench.model.editor;
  const mustSave = isDirty || version === 0;
  const isActive = execution?.ended === null;
  // The run ends in the catalog before the process of Spark does.
  const isStopping = isActive && shownRun !== null && shownRun.urn === execution.run && shownRun.status !== 'running';
  const start = async (): Promise<void> => {
    if (!mustSave || (await save())) {
      await bench.runs.startRun();
    }
  };
  return (
    <div className="jp-Colophon-run-view">
      <Arguments bench={bench} trans={trans} />
      <div className="jp-Colophon-actions">
        {isActive && !isStopping ? (
          <button type="button" className="jp-Colophon-button" onClick={() => void bench.runs.stop(execution)}>
            {trans.__('Stop the run')}
          </button>
        ) : (
          <button
            type="button"
            className="jp-Colophon-button"
            disabled={isStopping || bench.readOnly || bench.stages.length === 0}
            onClick={() => void start()}
          >
            {mustSave ? trans.__('Save and run') : trans.__('Run now')}
          </button>
        )}
        <span className="jp-Colophon-note">
          {isStopping && `${trans.__('Spark stops …')} `}
          {trans.__('A run uses Spark on the machine of the Jupyter server, and is recorded in the catalog.')}
        </span>
      </div>
      <Progress bench={bench} open={open} trans={trans} />
    </div>
  );
}
