import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { RJSFSchema } from '@rjsf/utils';
import React from 'react';
import { focusFirstError } from '../../../components/focus-first-error';
import { ProblemNote } from '../../../components/problem';
import { useModel } from '../../../components/use-model';
import { Conflict } from '../../../forms/conflict';
import { NO_ENVIRONMENT, useFormContext } from '../../../forms/context';
import { SchemaForm } from '../../../forms/schema-form';
import { createCheck, DRAFT_2020 } from '../../../forms/validation';
import type { FormEditor } from '../../../model/editing/editor';
import { addRequiredContainers, omitRequirements, toFormSchema } from '../../../model/schemas/form-schema';
import type { IRendererNames } from '../../../model/schemas/ui-schema';
import { toAspectUi } from '../../../model/schemas/ui-schema';

/** A form for an aspect, or a part of one, generated from its JSON Schema. */
export default function AspectEditorForm(props: {
  editor: FormEditor;
  cancel: () => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { editor, cancel, trans } = props;
  const state = useModel(editor);
  const form = React.useRef<HTMLFormElement>(null);
  const schema = React.useMemo(() => toFormSchema(editor.spec.schema as ReadonlyJSONObject) as RJSFSchema, [editor]);
  const drawn = React.useMemo(() => omitRequirements(schema as ReadonlyJSONObject) as RJSFSchema, [schema]);
  React.useEffect(() => {
    editor.setCheck(createCheck(schema, DRAFT_2020, trans));
    editor.initialize(value => addRequiredContainers(schema, value));
  }, [editor, schema, trans]);
  const context = useFormContext(editor, NO_ENVIRONMENT, trans);
  const ui = React.useCallback(
    (names: IRendererNames) =>
      toAspectUi(drawn as ReadonlyJSONObject, editor.spec.uihints as ReadonlyJSONObject, names),
    [drawn, editor]
  );
  return (
    <form
      ref={form}
      className="jp-Colophon-form"
      aria-label={trans.__('Edit: %1', editor.spec.title)}
      noValidate
      onSubmit={event => {
        event.preventDefault();
        if (editor.state.conflict) {
          return;
        }
        void editor.save().then(() => focusFirstError(form.current));
      }}
    >
      <SchemaForm
        schema={drawn}
        dialect={DRAFT_2020}
        createUi={ui}
        context={context}
        onChange={draft => editor.edit(draft)}
      />
      {state.newerActor !== null && !state.conflict && (
        <p role="status" className="jp-Colophon-warning">
          {trans.__('%1 has changed this in the meantime. Saving will show both versions.', state.newerActor)}
        </p>
      )}
      {state.problem && <ProblemNote problem={state.problem} trans={trans} />}
      <Conflict editor={editor} trans={trans} />
      {/* A conflict has its own buttons. */}
      {!state.conflict && (
        <div className="jp-Colophon-actions">
          <button type="submit" className="jp-Colophon-button jp-mod-primary" disabled={state.saving}>
            {state.saving ? trans.__('Saving…') : trans.__('Save')}
          </button>
          <button type="button" className="jp-Colophon-button" onClick={cancel}>
            {trans.__('Cancel')}
          </button>
        </div>
      )}
    </form>
  );
}
