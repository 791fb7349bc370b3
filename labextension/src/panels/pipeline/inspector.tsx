import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { FieldErrors } from '../../forms/field-errors';
import type { IConnectionDraft, StagePlace } from '../../model/pipelines/pipeline-draft';
import { findObstacle, getStagePointer, hasOutput } from '../../model/pipelines/pipeline-draft';
import type { PipelinePart } from '../../model/pipelines/pipeline-form';
import { isWithin } from '../../model/schemas/pointer';
import type { IValidationError } from '../../model/problem';
import type { IStageView, IWorkbench } from './workbench';

interface IInspectorProps {
  bench: IWorkbench;
  /** Renders a part of the form, with these errors. */
  renderForm: (part: PipelinePart, errors: readonly IValidationError[]) => React.ReactNode;
  pick: (place: StagePlace) => void;
  trans: TranslationBundle;
}

/** The name of a stage. It is applied when the field is left, because connections are renamed with it. */
function StageName(props: { bench: IWorkbench; view: IStageView; trans: TranslationBundle }): React.JSX.Element {
  const { bench, view, trans } = props;
  const { stage, index } = view;
  const [name, setName] = React.useState(stage.name);
  const id = React.useId();
  React.useEffect(() => setName(stage.name), [stage.name, index]);
  const pointer = `${getStagePointer(index)}/name`;
  const messages = view.errors.filter(fault => fault.pointer === pointer).map(({ message }) => message);
  const apply = (): void => {
    if (name !== stage.name) {
      bench.model.rename(index, name.trim());
    }
    bench.model.editor.touch(pointer);
  };
  return (
    <div className="jp-Colophon-field" data-invalid={messages.length > 0}>
      <label htmlFor={id}>{trans.__('Name of the stage')}</label>
      <input
        id={id}
        value={name}
        spellCheck={false}
        disabled={bench.readOnly}
        aria-invalid={messages.length > 0}
        aria-describedby={`${id}__error`}
        onChange={event => setName(event.target.value)}
        onBlur={apply}
        onKeyDown={event => {
          if (event.key === 'Enter') {
            event.preventDefault();
            apply();
          }
        }}
      />
      <FieldErrors id={`${id}__error`} messages={messages} />
    </div>
  );
}

function ConnectionList(props: {
  title: string;
  connections: readonly IConnectionDraft[];
  end: keyof IConnectionDraft;
  bench: IWorkbench;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { title, connections, end, bench, trans } = props;
  if (connections.length === 0) {
    return null;
  }
  return (
    <div>
      <h4>{title}</h4>
      <ul>
        {connections.map((connection, index) => (
          <li key={index} className="jp-Colophon-connection">
            <button
              type="button"
              className="jp-Colophon-link"
              onClick={() => bench.model.select(bench.stages.findIndex(({ stage }) => stage.name === connection[end]))}
            >
              {connection[end]}
            </button>
            {!bench.readOnly && (
              <button
                type="button"
                className="jp-Colophon-remove"
                aria-label={trans.__('Remove the connection from %1 to %2', connection.from, connection.to)}
                title={trans.__('Remove the connection')}
                onClick={() => bench.model.disconnect(connection)}
              >
                ×
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A choice of the stages to which a stage can be connected. */
function ConnectionChoice(props: {
  bench: IWorkbench;
  name: string;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { bench, name, trans } = props;
  const possible = bench.stages
    .map(({ stage }) => stage.name)
    .filter(to => findObstacle(bench.model.draft, { from: name, to }, bench.plugins) === null);
  const [chosen, setChosen] = React.useState('');
  const to = possible.includes(chosen) ? chosen : possible[0];
  if (bench.readOnly || to === undefined) {
    return null;
  }
  return (
    <div className="jp-Colophon-connect">
      <label className="jp-Colophon-choice">
        {trans.__('Connect to')}
        <select value={to} onChange={event => setChosen(event.target.value)}>
          {possible.map(other => (
            <option key={other} value={other}>
              {other}
            </option>
          ))}
        </select>
      </label>
      <button type="button" className="jp-Colophon-button" onClick={() => bench.model.connect({ from: name, to })}>
        {trans.__('Connect')}
      </button>
    </div>
  );
}

function StageInspector(props: IInspectorProps & { view: IStageView }): React.JSX.Element {
  const { bench, view, renderForm, pick, trans } = props;
  const { stage, index, errors } = view;
  const namePointer = `${getStagePointer(index)}/name`;
  const formErrors = React.useMemo(
    () => errors.filter(({ pointer }) => pointer !== namePointer),
    [errors, namePointer]
  );
  return (
    <section className="jp-Colophon-inspector" aria-label={trans.__('Stage %1', stage.name)}>
      <div className="jp-Colophon-inspectorHead">
        <h2>{view.kind}</h2>
        <button type="button" className="jp-Colophon-link" onClick={() => bench.model.select(null)}>
          {trans.__('Settings of the pipeline')}
        </button>
      </div>
      <StageName bench={bench} view={view} trans={trans} />
      {renderForm(index, formErrors)}
      <div role="group" aria-label={trans.__('Connections')} className="jp-Colophon-connections">
        <ConnectionList
          title={trans.__('Comes from')}
          connections={bench.connections.filter(({ to }) => to === stage.name)}
          end="from"
          bench={bench}
          trans={trans}
        />
        <ConnectionList
          title={trans.__('Leads to')}
          connections={bench.connections.filter(({ from }) => from === stage.name)}
          end="to"
          bench={bench}
          trans={trans}
        />
        <ConnectionChoice bench={bench} name={stage.name} trans={trans} />
      </div>
      {!bench.readOnly && (
        <div className="jp-Colophon-actions">
          <button type="button" className="jp-Colophon-button" onClick={() => pick({ from: stage.name })}>
            {hasOutput(stage) ? trans.__('Add a stage after it') : trans.__('Add an action after it')}
          </button>
          <button type="button" className="jp-Colophon-button" onClick={() => bench.model.remove(index)}>
            {trans.__('Remove the stage')}
          </button>
        </div>
      )}
    </section>
  );
}

/** The settings of the selected stage, or of the pipeline if none is selected. */
export function Inspector(props: IInspectorProps): React.JSX.Element {
  const { bench, renderForm, trans } = props;
  const { selected, errors } = bench;
  const settingsErrors = React.useMemo(
    () =>
      errors.filter(
        ({ pointer }) => !isWithin(pointer, '/metadata/stages') && !isWithin(pointer, '/metadata/connections')
      ),
    [errors]
  );
  const view = selected === null ? undefined : bench.stages[selected];
  if (view) {
    return <StageInspector key={view.index} {...props} view={view} />;
  }
  return (
    <section className="jp-Colophon-inspector" aria-label={trans.__('Settings of the pipeline')}>
      <h2>{trans.__('Settings of the pipeline')}</h2>
      {renderForm('settings', settingsErrors)}
    </section>
  );
}
