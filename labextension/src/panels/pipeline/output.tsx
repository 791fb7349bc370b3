import type { TranslationBundle } from '@jupyterlab/translation';
import { JSONExt } from '@lumino/coreutils';
import React from 'react';
import { ScrollableTable } from '../../components/scrollable-table';
import { SourceText } from '../../components/source-text';
import { useModel } from '../../components/use-model';
import type { PipelineExecution } from '../../generated/api';
import { hasOutput } from '../../model/pipelines/pipeline-draft';
import type { IColumnView, IWorkbench } from './workbench';

type StageOutput = PipelineExecution['stages'][number];

function formatCell(value: unknown): string {
  return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

function Schema(props: { columns: readonly IColumnView[] | null; trans: TranslationBundle }): React.JSX.Element {
  const { columns, trans } = props;
  if (columns === null) {
    return (
      <p className="jp-Colophon-note">
        {trans.__('The columns are unknown until Spark reads the data. A preview shows them.')}
      </p>
    );
  }
  return (
    <ScrollableTable label={trans.__('Columns')}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Column')}</th>
          <th scope="col">{trans.__('Type')}</th>
        </tr>
      </thead>
      <tbody>
        {columns.map(({ name, type }, index) => (
          <tr key={index}>
            <th scope="row">{name}</th>
            <td>{type}</td>
          </tr>
        ))}
      </tbody>
    </ScrollableTable>
  );
}

function Rows(props: { output: StageOutput; trans: TranslationBundle }): React.JSX.Element {
  const { output, trans } = props;
  const rows = output.rows as Record<string, unknown>[];
  if (output.error !== '') {
    return (
      <div className="jp-Colophon-problem" role="alert">
        <strong>{trans.__('The stage failed')}</strong>
        <p>{output.error}</p>
      </div>
    );
  }
  if (rows.length === 0) {
    return <p className="jp-Colophon-note">{trans.__('No rows.')}</p>;
  }
  return (
    <ScrollableTable label={trans.__('Rows of %1', output.stage)}>
      <thead>
        <tr>
          {output.columns.map(({ name, type }, index) => (
            <th key={index} scope="col" title={type}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {output.columns.map(({ name }, index) => (
              <td key={index}>{formatCell(row[name])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollableTable>
  );
}

/** Returns a sentence about the state of the preview, which screen readers announce. */
function getPreviewState(execution: PipelineExecution | undefined, trans: TranslationBundle): string {
  switch (execution?.status) {
    case 'running':
      return trans.__('Spark starts and reads the first rows …');
    case 'killed':
      return trans.__('The preview was stopped.');
    case 'succeeded':
      return trans.__('The preview is complete.');
    default:
      return '';
  }
}

function PreviewActions(props: {
  bench: IWorkbench;
  stage: string;
  execution: PipelineExecution | undefined;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { bench, stage, execution, trans } = props;
  return (
    <div className="jp-Colophon-actions">
      {execution?.ended === null ? (
        <button type="button" className="jp-Colophon-button" onClick={() => void bench.runs.stop(execution)}>
          {trans.__('Stop the preview')}
        </button>
      ) : (
        <button
          type="button"
          className="jp-Colophon-button"
          disabled={bench.readOnly}
          onClick={() => void bench.runs.startPreview(stage)}
        >
          {trans.__('Preview')}
        </button>
      )}
      <span role="status" className="jp-Colophon-note">
        {getPreviewState(execution, trans)}
      </span>
    </div>
  );
}

function PreviewResult(props: {
  execution: PipelineExecution;
  stage: string;
  isOld: boolean;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { execution, stage, isOld, trans } = props;
  const output = execution.stages.find(other => other.stage === stage);
  const failed = execution.stages.find(({ error }) => error !== '');
  return (
    <>
      {isOld && output && (
        <p className="jp-Colophon-note">{trans.__('The pipeline has changed since this preview.')}</p>
      )}
      {execution.status === 'failed' && (
        <div className="jp-Colophon-problem" role="alert">
          <strong>{trans.__('The preview failed')}</strong>
          <p>{execution.problem}</p>
          {execution.log !== '' && <SourceText label={trans.__('Log')} text={execution.log} />}
        </div>
      )}
      {output && <Rows output={output} trans={trans} />}
      {!output && failed && <p role="alert">{trans.__('The stage %1 failed: %2', failed.stage, failed.error)}</p>}
    </>
  );
}

/** The output of the selected stage: its columns, and a preview of its rows. */
export function Output(props: { bench: IWorkbench; trans: TranslationBundle }): React.JSX.Element {
  const { bench, trans } = props;
  const { preview } = useModel(bench.runs);
  const { draft } = useModel(bench.model.editor);
  const view = bench.selected === null ? undefined : bench.stages[bench.selected];
  if (!view) {
    return <p className="jp-Colophon-note">{trans.__('Select a stage to see its output.')}</p>;
  }
  if (!hasOutput(view.stage)) {
    return <p className="jp-Colophon-note">{trans.__('This stage has no output rows.')}</p>;
  }
  const { name } = view.stage;
  return (
    <div className="jp-Colophon-stageOutput">
      <div>
        <h3>{trans.__('Columns of %1', name)}</h3>
        <Schema columns={view.columns} trans={trans} />
      </div>
      <div>
        <h3>{trans.__('First rows')}</h3>
        <PreviewActions bench={bench} stage={name} execution={preview?.execution} trans={trans} />
        {preview && (
          <PreviewResult
            execution={preview.execution}
            stage={name}
            isOld={!JSONExt.deepEqual(preview.draft, draft)}
            trans={trans}
          />
        )}
      </div>
    </div>
  );
}
