import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Editor } from '../../model/editing/editor';
import { resolveRefs } from '../../model/schemas/resolve-refs';
import { createNamePlace } from '../../model/instances/instance-view';
import { focusFirstError } from '../../components/focus-first-error';
import { ProblemNote } from '../../components/problem';
import { useModel } from '../../components/use-model';
import { VersionList } from '../../components/versions';
import { formatTime } from '../../components/labels';
import type { Schema } from '../../model/schemas/form-schema';
import type { PipelinePart } from '../../model/pipelines/pipeline-form';
import type { IValidationError } from '../../model/problem';
import type { InstanceModel } from './model';
import { InvalidInstance, RecoveredDraft, DeletedNote, SchemaChoice, SharedNote, CheckErrors } from './notes';

// The form contains a validator; it is loaded on demand.
const InstanceForm = React.lazy(() => import('./form'));
const PipelineEditor = React.lazy(() => import('../pipeline'));

/** The actions of the page of an instance. */
interface IInstanceActions {
  /** Restores an earlier version, after a confirmation if there are unsaved changes. */
  restore(version: number): void;
  /** Discards unsaved changes after a confirmation. */
  discard(): void;
  /** Deletes the instance. */
  remove(): void;
  /** Opens the page of an entity, a run or another instance. */
  open(urn: string): void;
}

interface IInstanceProps {
  model: InstanceModel;
  actions: IInstanceActions;
  trans: TranslationBundle;
}

function isPipeline({ place, state }: InstanceModel): boolean {
  return state.space?.name === 'pipelines' && place.schema === 'pipeline';
}

function Head({ model, trans }: IInstanceProps): React.JSX.Element {
  const { instance, space } = useModel(model);
  const { schema, name } = model.place;
  const title = space?.schemas.find(({ name: schemaName }) => schemaName === schema)?.title ?? schema;
  const place = [space?.display_name ?? model.place.space, title, name].filter(word => word !== '');
  return (
    <div className="jp-Colophon-head">
      <div>
        <h1>{model.isNew ? trans.__('New: %1', title) : (instance?.display_name ?? name) || name}</h1>
        <p className="jp-Colophon-subtitle">{place.join(' · ')}</p>
      </div>
    </div>
  );
}

function getSaveState(editor: Editor, isNew: boolean, trans: TranslationBundle): string {
  if (editor.state.saving) {
    return trans.__('Saving…');
  }
  return editor.isDirty ? trans.__('Unsaved changes.') : isNew ? '' : trans.__('All changes saved.');
}

function Buttons(props: IInstanceProps & { editor: Editor }): React.JSX.Element | null {
  const { model, editor, actions, trans } = props;
  const { mayEdit } = useModel(model);
  const { conflict, saving } = useModel(editor);
  if (conflict) {
    // A conflict has its own buttons.
    return null;
  }
  return (
    <div className="jp-Colophon-actions jp-Colophon-saving">
      <button type="submit" className="jp-Colophon-button jp-mod-primary" disabled={saving || !mayEdit}>
        {trans.__('Save')}
      </button>
      <button
        type="button"
        className="jp-Colophon-button"
        disabled={saving || !editor.isDirty}
        onClick={() => actions.discard()}
      >
        {trans.__('Discard changes')}
      </button>
      <span className="jp-Colophon-note" role="status">
        {getSaveState(editor, model.isNew, trans)}
      </span>
    </div>
  );
}

/** The values of an instance: its form, or for a pipeline its canvas and its form. */
function Values(props: IInstanceProps & { editor: Editor; schema: Schema }): React.JSX.Element {
  const { model, editor, schema, actions, trans } = props;
  const { mayEdit } = useModel(model);
  const renderForm = (part?: PipelinePart, errors: readonly IValidationError[] = []): React.JSX.Element => (
    <fieldset className="jp-Colophon-fieldset" disabled={!mayEdit} aria-label={trans.__('Values')}>
      {part === undefined && <CheckErrors model={model} trans={trans} />}
      <React.Suspense fallback={<p role="status">{trans.__('Loading…')}</p>}>
        <InstanceForm
          key={part}
          model={model}
          editor={editor}
          schema={schema}
          part={part === undefined ? undefined : { part, errors }}
          trans={trans}
        />
      </React.Suspense>
    </fieldset>
  );
  return isPipeline(model) ? (
    <React.Suspense fallback={<p role="status">{trans.__('Loading…')}</p>}>
      <PipelineEditor
        model={model}
        editor={editor}
        renderForm={renderForm}
        open={urn => actions.open(urn)}
        trans={trans}
      />
    </React.Suspense>
  ) : (
    renderForm()
  );
}

function Form(props: IInstanceProps & { editor: Editor }): React.JSX.Element | null {
  const { model, editor, trans } = props;
  const { schema, mayEdit } = useModel(model);
  const { newerActor, conflict, problem } = useModel(editor);
  const form = React.useRef<HTMLFormElement>(null);
  if (!schema) {
    return null;
  }
  return (
    <form
      ref={form}
      className="jp-Colophon-form"
      aria-label={trans.__('Edit')}
      noValidate
      onSubmit={event => {
        event.preventDefault();
        void model.save().then(() => focusFirstError(form.current));
      }}
    >
      {!mayEdit && (
        <p className="jp-Colophon-note">{trans.__('Read-only: you do not have permission to change this.')}</p>
      )}
      <Values {...props} schema={schema} />
      {newerActor !== null && !conflict && (
        <p role="status" className="jp-Colophon-warning">
          {newerActor === ''
            ? trans.__('This was changed in the meantime. Saving will show both versions.')
            : trans.__('%1 has changed this in the meantime. Saving will show both versions.', newerActor)}
        </p>
      )}
      {problem && <ProblemNote problem={problem} trans={trans} />}
      <Buttons {...props} />
    </form>
  );
}

function History({ model, actions, trans }: IInstanceProps): React.JSX.Element | null {
  const { history, mayEdit, removed, schema } = useModel(model);
  const name = React.useMemo(
    () => createNamePlace(resolveRefs(schema ?? {}), { displayName: trans.__('Display name') }),
    [schema, trans]
  );
  if (!history || (history.versions.length === 0 && !history.problem)) {
    return null;
  }
  const newest = history.versions[0]?.version;
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('History')}>
      <h2>{trans.__('History')}</h2>
      {history.problem && <ProblemNote problem={history.problem} trans={trans} />}
      <VersionList
        versions={history.versions}
        loadMore={history.cursor === null ? null : () => void model.loadMoreHistory()}
        namePlace={name}
        renderActions={({ version, deleted, time, value }) =>
          // Unreadable versions are not stored.
          mayEdit && !deleted && !('$problem' in (value ?? {})) && (removed || version !== newest) ? (
            <button
              type="button"
              className="jp-Colophon-link"
              aria-label={trans.__('Restore version %1 of %2', version, formatTime(time))}
              onClick={() => actions.restore(version)}
            >
              {trans.__('Restore')}
            </button>
          ) : null
        }
        trans={trans}
      />
    </section>
  );
}

/** Notes about the state of the instance, above its form. */
function Notes({ model, actions, trans }: IInstanceProps): React.JSX.Element {
  const { instance, schema, editor, removed, recoveredAt, history } = useModel(model);
  return (
    <>
      {removed && <DeletedNote trans={trans} hasChanges={model.isDirty} hasHistory={history?.versions.length !== 0} />}
      {instance && !instance.valid && (
        <InvalidInstance instance={instance} remove={() => actions.remove()} trans={trans} />
      )}
      {instance && !instance.deletable && <SharedNote trans={trans} />}
      {instance && !schema && <SchemaChoice model={model} trans={trans} />}
      {recoveredAt !== null && editor?.isDirty && <RecoveredDraft time={recoveredAt} model={model} trans={trans} />}
    </>
  );
}

/** The body of the page of an instance. */
export function InstanceBody(props: IInstanceProps): React.JSX.Element {
  const { model, trans } = props;
  const { instance, editor, problem, busy, removed, editorCount } = useModel(model);
  const nothing = !editor && !problem && !instance && !removed;
  return (
    <div
      className={`jp-Colophon-page jp-Colophon-instance-page ${isPipeline(model) ? 'jp-mod-wide' : ''}`}
      aria-busy={busy}
    >
      <Head {...props} />
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
      {busy && nothing && <p role="status">{trans.__('Loading…')}</p>}
      <Notes {...props} />
      {editor && (!removed || editor.isDirty) && <Form key={editorCount} {...props} editor={editor} />}
      {!model.isNew && <History {...props} />}
    </div>
  );
}
