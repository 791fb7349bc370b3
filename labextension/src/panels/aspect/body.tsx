import type { TranslationBundle } from '@jupyterlab/translation';
import { FormComponent } from '@jupyterlab/ui-components';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { RJSFSchema } from '@rjsf/utils';
import React from 'react';
import type { FormEditor } from '../../model/editor';
import { formSchema, startingValue, uiSchemaOf } from '../../model/form-schema';
import { toFirstFault } from '../pieces/first-fault';
import { ProblemNote } from '../pieces/problem';
import { useModel } from '../pieces/use-model';
import { checkOf, validator } from './checking';
import { Conflict } from './conflict';
import type { IFormContext } from './context';
import { JsonField } from './json-field';
import { PairList } from './pair-list';
import { FaultNote, FieldTemplate, ObjectFieldTemplate } from './templates';
import { WordList } from './word-list';

type FormProps = React.ComponentProps<typeof FormComponent>;

const FIELDS = { words: WordList, pairs: PairList, json: JsonField } as unknown as NonNullable<FormProps['fields']>;
const TEMPLATES = { FieldTemplate, ObjectFieldTemplate } as unknown as NonNullable<FormProps['templates']>;

interface IFormProps {
  editor: FormEditor;
  cancel: () => void;
  trans: TranslationBundle;
}

let forms = 0;

function useContext({ editor, trans }: IFormProps, prefix: string): IFormContext {
  const state = useModel(editor);
  return React.useMemo(
    () => ({
      trans,
      prefix,
      faults: editor.faults(),
      touch: pointer => editor.touch(pointer),
      block: (pointer, faults) => editor.block(pointer, faults)
    }),
    // The faults follow from the state, whatever part of it changed.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [editor, trans, prefix, state]
  );
}

function Fields(props: IFormProps & { schema: RJSFSchema; context: IFormContext }): React.JSX.Element {
  const { editor, schema, context } = props;
  const { draft } = useModel(editor);
  const ui = React.useMemo(
    () => uiSchemaOf(schema as ReadonlyJSONObject, editor.spec.uihints as ReadonlyJSONObject),
    [schema, editor]
  );
  return (
    <FormComponent
      schema={schema}
      uiSchema={ui as NonNullable<FormProps['uiSchema']>}
      formData={draft}
      formContext={context}
      validator={validator as unknown as FormProps['validator']}
      fields={FIELDS}
      templates={TEMPLATES}
      tagName="div"
      idPrefix={context.prefix}
      idSeparator="/"
      noValidate
      noHtml5Validate
      showErrorList={false}
      onChange={event => editor.edit(event.formData ?? {})}
      onBlur={id => context.touch(id.slice(context.prefix.length))}
    />
  );
}

/** A form for one aspect, made from its JSON Schema. */
export default function AspectForm(props: IFormProps): React.JSX.Element {
  const { editor, cancel, trans } = props;
  const state = useModel(editor);
  const form = React.useRef<HTMLFormElement>(null);
  const [prefix] = React.useState(() => `jp-colophon-form-${++forms}`);
  const schema = React.useMemo(() => formSchema(editor.spec.schema as ReadonlyJSONObject) as RJSFSchema, [editor]);
  React.useEffect(() => {
    editor.checkWith(checkOf(schema, trans));
    editor.begin(value => startingValue(schema, value));
  }, [editor, schema, trans]);
  const context = useContext(props, prefix);
  const whole = context.faults.filter(fault => fault.pointer === '').map(fault => fault.message);
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
        void editor.save().then(() => toFirstFault(form.current));
      }}
    >
      <Fields {...props} schema={schema} context={context} />
      <FaultNote id={`${prefix}__error`} messages={whole} />
      {state.newer !== null && !state.conflict && (
        <p role="status" className="jp-Colophon-warning">
          {trans.__('%1 has changed this meanwhile. Saving will show both versions.', state.newer)}
        </p>
      )}
      {state.problem && <ProblemNote problem={state.problem} trans={trans} />}
      <Conflict editor={editor} trans={trans} />
      {/* A conflict has its own answers. */}
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
