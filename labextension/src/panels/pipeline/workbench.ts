import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { IConnectionDraft, IStageDraft, StagePlugin } from '../../model/pipelines/pipeline-draft';
import { listConnections, listStages, orderStages } from '../../model/pipelines/pipeline-draft';
import type { IValidationError } from '../../model/problem';
import { useModel } from '../../components/use-model';
import { sortFacts } from '../run/stages';
import { getStageKind } from './labels';
import type { PipelineModel } from './model';
import { listStageErrors } from './model';
import type { PipelineRuns } from './runs';

/** A column of the output of a stage; its type is empty if only a run knows it. */
export interface IColumnView {
  name: string;
  type: string;
}

/** A stage with everything that is known of it. */
export interface IStageView {
  index: number;
  stage: IStageDraft;
  /** Its type and its plugin. */
  kind: string;
  errors: readonly IValidationError[];
  /** The columns of its output; null if they are unknown. */
  columns: readonly IColumnView[] | null;
  /** Its status in the shown run; undefined if no run is shown. */
  status: string | undefined;
}

/** What all parts of the canvas show. */
export interface IWorkbench {
  model: PipelineModel;
  runs: PipelineRuns;
  plugins: readonly StagePlugin[];
  readOnly: boolean;
  stages: readonly IStageView[];
  /** The indexes of the stages in order of execution. */
  order: readonly number[];
  connections: readonly IConnectionDraft[];
  errors: readonly IValidationError[];
  selected: number | null;
}

/** Returns what all parts of the canvas show, and renders the component again when it changes. */
export function useWorkbench(
  model: PipelineModel,
  runs: PipelineRuns,
  plugins: readonly StagePlugin[],
  readOnly: boolean,
  trans: TranslationBundle
): IWorkbench {
  const editing = useModel(model.editor);
  const state = useModel(model);
  const { preview, shownRun } = useModel(runs);
  return React.useMemo(() => {
    const { draft } = editing;
    const [stages, connections, errors] = [listStages(draft), listConnections(draft), model.listErrors()];
    const columns = new Map<string, readonly IColumnView[]>([
      ...(state.check?.columns ?? []).map(
        item => [item.stage, item.columns.map(name => ({ name, type: '' }))] as const
      ),
      ...(preview?.draft === draft ? preview.execution.stages : [])
        .filter(({ error }) => error === '')
        .map(item => [item.stage, item.columns] as const)
    ]);
    const statuses = new Map(
      shownRun ? sortFacts(shownRun).stages.map(({ name, status }) => [name, status] as const) : []
    );
    return {
      model,
      runs,
      plugins,
      readOnly,
      order: orderStages(stages, connections),
      connections,
      errors,
      selected: state.selected,
      stages: stages.map((stage, index) => ({
        index,
        stage,
        kind: getStageKind(stage, plugins, trans),
        errors: listStageErrors(errors, index),
        columns: columns.get(stage.name) ?? null,
        status: statuses.get(stage.name)
      }))
    };
  }, [model, runs, plugins, readOnly, trans, editing, state, preview, shownRun]);
}
