import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Editor } from '../../model/editor';
import { inlined } from '../../model/inlining';
import { placeNames } from '../../model/instance-view';
import { toFirstFault } from '../../components/first-fault';
import { ProblemNote } from '../../components/problem';
import { useModel } from '../../components/use-model';
import { VersionList } from '../../components/versions';
import { moment } from '../../components/words';
import type { InstanceModel } from './model';
import { Broken, Recovered, Removed, SchemaChoice, Shared, Unready } from './notes';

// The form brings a validator along; it is loaded when somebody edits.
const InstanceForm = React.lazy(() => import('./form'));

/** What the page of an instance asks of the outside. */
interface IInstanceActions {
  /** Makes an earlier version the present one, and asks before what was typed is gone. */
  restore(version: number): void;
  /** Drops what was typed, and asks before. */
  discard(): void;
  /** Removes the instance. */
  remove(): void;
}

interface IInstanceProps {
  model: InstanceModel;
  actions: IInstanceActions;
  trans: TranslationBundle;
}

function Head({ model, trans }: IInstanceProps): React.JSX.Element {
  const { instance, space } = useModel(model);
  const { schema, name } = model.place;
  const title = space?.schemas.find(one => one.name === schema)?.title ?? schema;
  const place = [space?.display_name ?? model.place.space, title, name].filter(word => word !== '');
  return (
    <div className="jp-Colophon-head">
      <div>
        <h1>{model.isNew ? trans.__('New: %1', title) : (instance?.display_name ?? name) || name}</h1>
        <p className="jp-Colophon-place">{place.join(' · ')}</p>
      </div>
    </div>
  );
}

function stateWord(editor: Editor, isNew: boolean, trans: TranslationBundle): string {
  if (editor.state.saving) {
    return trans.__('Saving…');
  }
  return editor.dirty ? trans.__('Not saved yet.') : isNew ? '' : trans.__('Everything is saved.');
}

function Buttons(props: IInstanceProps & { editor: Editor }): React.JSX.Element | null {
  const { model, editor, actions, trans } = props;
  const { mayEdit } = useModel(model);
  const { conflict, saving } = useModel(editor);
  if (conflict) {
    // A conflict has its own answers.
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
        disabled={saving || !editor.dirty}
        onClick={() => actions.discard()}
      >
        {trans.__('Discard changes')}
      </button>
      <span className="jp-Colophon-note" role="status">
        {stateWord(editor, model.isNew, trans)}
      </span>
    </div>
  );
}

function Form(props: IInstanceProps & { editor: Editor }): React.JSX.Element | null {
  const { model, editor, trans } = props;
  const { schema, mayEdit } = useModel(model);
  const { newer, conflict, problem } = useModel(editor);
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
        void model.save().then(() => toFirstFault(form.current));
      }}
    >
      {!mayEdit && <p className="jp-Colophon-note">{trans.__('You may read this, not change it.')}</p>}
      <fieldset className="jp-Colophon-whole" disabled={!mayEdit} aria-label={trans.__('Values')}>
        <React.Suspense fallback={<p role="status">{trans.__('Loading…')}</p>}>
          <InstanceForm model={model} editor={editor} schema={schema} trans={trans} />
        </React.Suspense>
      </fieldset>
      {newer !== null && !conflict && (
        <p role="status" className="jp-Colophon-warning">
          {newer === ''
            ? trans.__('This was changed meanwhile. Saving will show both versions.')
            : trans.__('%1 has changed this meanwhile. Saving will show both versions.', newer)}
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
    () => placeNames(inlined(schema ?? {}), { displayName: trans.__('Display name') }),
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
        more={history.cursor === null ? null : () => void model.moreHistory()}
        name={name}
        actions={({ version, deleted, time, value }) =>
          // What could not be read is not kept either.
          mayEdit && !deleted && !('$problem' in (value ?? {})) && (removed || version !== newest) ? (
            <button
              type="button"
              className="jp-Colophon-link"
              aria-label={trans.__('Restore version %1 of %2', version, moment(time))}
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

/** What is to be known of the instance before one edits it. */
function Notes({ model, actions, trans }: IInstanceProps): React.JSX.Element {
  const { instance, schema, editor, removed, recovered, history } = useModel(model);
  return (
    <>
      {removed && <Removed trans={trans} typed={model.dirty} known={history?.versions.length !== 0} />}
      {instance && !instance.valid && <Broken instance={instance} remove={() => actions.remove()} trans={trans} />}
      <Unready model={model} trans={trans} />
      {instance && !instance.deletable && <Shared trans={trans} />}
      {instance && !schema && <SchemaChoice model={model} trans={trans} />}
      {recovered !== null && editor?.dirty && <Recovered time={recovered} model={model} trans={trans} />}
    </>
  );
}

/** View of the page of an instance. */
export function InstanceBody(props: IInstanceProps): React.JSX.Element {
  const { model, trans } = props;
  const { instance, editor, problem, busy, removed, edition } = useModel(model);
  const nothing = !editor && !problem && !instance && !removed;
  return (
    <div className="jp-Colophon-page jp-Colophon-instance-page" aria-busy={busy}>
      <Head {...props} />
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
      {busy && nothing && <p role="status">{trans.__('Loading…')}</p>}
      <Notes {...props} />
      {editor && (!removed || editor.dirty) && <Form key={edition} {...props} editor={editor} />}
      {!model.isNew && <History {...props} />}
    </div>
  );
}
