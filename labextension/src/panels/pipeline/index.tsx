import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { Tabs } from '../../components/tabs';
import { useModel } from '../../components/use-model';
import type { Editor } from '../../model/editing/editor';
import type { StagePlace, StagePlugin } from '../../model/pipelines/pipeline-draft';
import type { PipelinePart } from '../../model/pipelines/pipeline-form';
import type { IValidationError } from '../../model/problem';
import { getValueAt } from '../../model/schemas/pointer';
import type { InstanceModel } from '../instance/model';
import { Canvas } from './canvas';
import { Inspector } from './inspector';
import { LastRuns } from './last-runs';
import { PipelineModel } from './model';
import { Output } from './output';
import { PluginPicker } from './picker';
import { Problems } from './problems';
import { RunView } from './run-view';
import { PipelineRuns } from './runs';
import { Schedules } from './schedules';
import { StageList } from './stage-list';
import { Toolbar } from './toolbar';
import type { IWorkbench } from './workbench';
import { useWorkbench } from './workbench';

const NO_PLUGINS: readonly StagePlugin[] = [];

interface IPipelineProps {
  model: InstanceModel;
  editor: Editor;
  /** Renders the form, or a part of it with its errors. */
  renderForm: (part?: PipelinePart, errors?: readonly IValidationError[]) => React.ReactNode;
  /** Opens the page of an entity or a run. */
  open: (urn: string) => void;
  trans: TranslationBundle;
}

interface IModels {
  pipeline: PipelineModel;
  runs: PipelineRuns;
}

/** Creates the models for an editor; they are shown and disposed of with the page. */
function useModels({ model, editor }: IPipelineProps): IModels | null {
  const [models, setModels] = React.useState<IModels | null>(null);
  React.useEffect(() => {
    const pipeline = new PipelineModel(editor, model.catalog, () => model.place.name);
    const runs = new PipelineRuns(model.catalog, model.feed, pipeline, () => !model.isNew);
    const following = model.addFollower(runs);
    const onSaved = (): void => void runs.refresh();
    editor.saved.connect(onSaved);
    setModels({ pipeline, runs });
    return () => {
      editor.saved.disconnect(onSaved);
      following.dispose();
      runs.dispose();
      pipeline.dispose();
    };
  }, [model, editor]);
  const namespace = getValueAt(useModel(editor).draft, '/metadata/namespace');
  React.useEffect(() => model.loadPlugins(typeof namespace === 'string' ? namespace : ''), [model, namespace]);
  return models;
}

/** The parts below the canvas, as tabs. */
function Details(props: { bench: IWorkbench } & Omit<IPipelineProps, 'renderForm' | 'editor'>): React.JSX.Element {
  const { bench, model, open, trans } = props;
  const [tab, setTab] = React.useState('stages');
  const { runs, schedules, actionProblem } = useModel(bench.runs);
  const tabs = [
    { id: 'stages', label: trans.__('Stages'), count: bench.stages.length },
    { id: 'output', label: trans.__('Output') },
    { id: 'problems', label: trans.__('Errors'), count: bench.errors.length },
    { id: 'run', label: trans.__('Run') },
    { id: 'runs', label: trans.__('Last runs'), count: runs.length },
    { id: 'schedules', label: trans.__('Schedules'), count: schedules.length }
  ];
  const id = React.useId();
  const save = async (): Promise<boolean> => {
    await model.save();
    return !model.isDirty && !model.isNew;
  };
  return (
    <div className="jp-Colophon-pipelineDetails">
      {actionProblem && <ProblemNote problem={actionProblem} trans={trans} />}
      <Tabs id={id} label={trans.__('Details of the pipeline')} tabs={tabs} selected={tab} select={setTab}>
        {tab === 'stages' && <StageList bench={bench} trans={trans} />}
        {tab === 'output' && <Output bench={bench} trans={trans} />}
        {tab === 'problems' && <Problems bench={bench} trans={trans} />}
        {tab === 'run' && <RunView bench={bench} open={open} save={save} trans={trans} />}
        {tab === 'runs' && <LastRuns bench={bench} open={open} trans={trans} />}
        {tab === 'schedules' && (
          <Schedules
            bench={bench}
            isStored={!model.isNew}
            openInstance={name => open(`urn:li:instance:(pipelines,${name})`)}
            trans={trans}
          />
        )}
      </Tabs>
    </div>
  );
}

function Workbench(props: IPipelineProps & { models: IModels }): React.JSX.Element {
  const { model, models, renderForm, trans } = props;
  const { plugins, mayEdit } = useModel(model);
  const bench = useWorkbench(models.pipeline, models.runs, plugins ?? NO_PLUGINS, !mayEdit, trans);
  const [place, setPlace] = React.useState<StagePlace | null>(null);
  const [zoom, setZoom] = React.useState(1);
  const box = React.useRef<HTMLDivElement>(null);
  const focusSelected = (): void => {
    requestAnimationFrame(() =>
      box.current?.querySelector<HTMLElement>(`[data-index="${models.pipeline.state.selected ?? 0}"]`)?.focus()
    );
  };
  const choose = (plugin: StagePlugin): void => {
    models.pipeline.add(plugin, place ?? {});
    setPlace(null);
    focusSelected();
  };
  return (
    <div className="jp-Colophon-pipeline" ref={box}>
      <Toolbar bench={bench} zoom={zoom} setZoom={setZoom} pick={setPlace} trans={trans} />
      <div className="jp-Colophon-pipelineMain">
        <div className="jp-Colophon-pipelineBoard">
          {bench.stages.length === 0 && (
            <p className="jp-Colophon-note">
              {trans.__(
                'A pipeline reads data from sources, changes it, and writes it to sinks. Add a stage to start.'
              )}
            </p>
          )}
          <Canvas bench={bench} zoom={zoom} pick={setPlace} trans={trans} />
          {place && (
            <PluginPicker
              plugins={bench.plugins}
              place={place}
              choose={choose}
              close={() => {
                setPlace(null);
                focusSelected();
              }}
              trans={trans}
            />
          )}
          <Details {...props} bench={bench} />
        </div>
        <Inspector bench={bench} renderForm={renderForm} pick={setPlace} trans={trans} />
      </div>
    </div>
  );
}

/** The editor of a pipeline: a canvas and a form for the same draft. */
export default function PipelineEditor(props: IPipelineProps): React.JSX.Element {
  const { editor, renderForm, trans } = props;
  const models = useModels(props);
  const { conflict } = useModel(editor);
  const [tab, setTab] = React.useState('canvas');
  const id = React.useId();
  // The form shows the two versions of a conflict.
  const selected = conflict ? 'form' : tab;
  const tabs = [
    { id: 'canvas', label: trans.__('Canvas') },
    { id: 'form', label: trans.__('Form') }
  ];
  return (
    <Tabs id={id} label={trans.__('View of the pipeline')} tabs={tabs} selected={selected} select={setTab}>
      {selected === 'form' ? renderForm() : models && <Workbench {...props} models={models} />}
    </Tabs>
  );
}
