import type { IEditorServices } from '@jupyterlab/codeeditor';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IFormRendererRegistry } from '@jupyterlab/ui-components';
import { FormComponent } from '@jupyterlab/ui-components';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { RJSFSchema } from '@rjsf/utils';
import React from 'react';
import type { Editor } from '../../model/editor';
import type { Schema } from '../../model/form-schema';
import { instanceForm, instanceUi } from '../../model/instance-schema';
import { comparable } from '../../model/instance-view';
import { valueAt, withValueAt } from '../../model/pointer';
import type { IFault } from '../../model/problem';
import { secretPlaces } from '../../model/secrets';
import { Conflict } from '../aspect/conflict';
import { FaultNote } from '../aspect/templates';
import { useModel } from '../pieces/use-model';
import { formValidator, instanceCheck } from './checking';
import type { IInstanceContext } from './context';
import { InstanceContext } from './context';
import { fieldsOf } from './fields';
import type { InstanceModel } from './model';
import { ArrayFieldTemplate, FieldTemplate, ObjectFieldTemplate, UnsupportedFieldTemplate } from './templates';
import { BaseInputTemplate, CheckboxesWidget, CheckboxWidget, SelectWidget, TextareaWidget } from './widgets';

type FormProps = React.ComponentProps<typeof FormComponent>;

const TEMPLATES = {
  ArrayFieldTemplate,
  BaseInputTemplate,
  FieldTemplate,
  ObjectFieldTemplate,
  UnsupportedFieldTemplate
} as unknown as NonNullable<FormProps['templates']>;

const WIDGETS = {
  CheckboxWidget,
  CheckboxesWidget,
  SelectWidget,
  TextareaWidget
} as unknown as NonNullable<FormProps['widgets']>;

/** A form changes what a person changes, and nothing by itself. */
const BEHAVIOUR = {
  arrayMinItems: { populate: 'never' },
  emptyObjectFields: 'skipDefaults',
  constAsDefaults: 'never'
} as const;

/** What a form takes from JupyterLab, where it is there. */
export interface IFormTools {
  editors: IEditorServices | null;
  renderers: IFormRendererRegistry | null;
}

interface IFormProps {
  model: InstanceModel;
  editor: Editor;
  schema: Schema;
  tools: IFormTools;
  trans: TranslationBundle;
}

let forms = 0;

function useFormSchema({ model, schema, trans }: IFormProps): RJSFSchema {
  const { isNew } = model;
  return React.useMemo(() => {
    const words = {
      displayName: trans.__('Display name'),
      name: trans.__('Name in files and addresses'),
      nameHelp: trans.__('It never changes. Where nothing is said it is made of the name above.')
    };
    return instanceForm(schema, isNew, words);
  }, [schema, isNew, trans]);
}

function languageOf(draft: ReadonlyJSONObject): string {
  const metadata = draft['metadata'] as ReadonlyJSONObject | undefined;
  const language = metadata?.['language'];
  return typeof language === 'string' ? language : '';
}

function useContext(props: IFormProps, prefix: string): IInstanceContext {
  const { model, editor, tools, trans } = props;
  const state = useModel(editor);
  const { choices, mayEdit, findings, plugins } = useModel(model);
  const offer = React.useCallback((pointer: string) => model.offer(pointer), [model]);
  const loadPlugins = React.useCallback(() => model.loadPlugins(), [model]);
  return React.useMemo(
    () => ({
      trans,
      prefix,
      // What is wrong with what is saved holds until somebody types on.
      faults: editor.dirty ? editor.faults() : [...editor.faults(), ...findings],
      touch: (pointer: string) => editor.touch(pointer),
      block: (pointer: string, faults: readonly IFault[]) => editor.block(pointer, faults),
      editors: tools.editors,
      locked: !mayEdit,
      language: languageOf(state.draft),
      choices,
      offer,
      plugins,
      loadPlugins,
      draft: state.draft,
      put: (pointer: string, value: unknown) => editor.edit(withValueAt(editor.state.draft, pointer, value)),
      fill: (pointer: string, value: unknown) => {
        if (valueAt(editor.state.draft, pointer) === undefined) {
          editor.edit(withValueAt(editor.state.draft, pointer, value));
        }
      }
    }),
    [editor, trans, prefix, state, tools, choices, offer, plugins, loadPlugins, mayEdit, findings]
  );
}

/** Whether a fault stands at its place, or at what holds that place. */
function stands(fault: IFault, notes: readonly Element[], prefix: string): boolean {
  const steps = fault.pointer.split('/');
  const holders = steps.slice(2).map((_, index) => `${prefix}${steps.slice(0, index + 2).join('/')}`);
  return notes.some(
    note =>
      note.id === `${prefix}${fault.pointer}__error` ||
      (note.textContent.includes(fault.message) &&
        holders.some(holder => note.id.startsWith(`${holder}_`) || note.id.startsWith(`${holder}/`)))
  );
}

/** Faults at places that the form does not show: else nobody would know why it is not saved. */
function useStrays(context: IInstanceContext): readonly IFault[] {
  const [strays, setStrays] = React.useState<readonly IFault[]>([]);
  const { faults, prefix } = context;
  React.useLayoutEffect(() => {
    const notes = [...document.querySelectorAll('.jp-Colophon-fault')].filter(note => note.id !== `${prefix}__strays`);
    const unseen = faults.filter(fault => !stands(fault, notes, prefix));
    setStrays(old => (old.length + unseen.length === 0 ? old : unseen));
  }, [faults, prefix]);
  return strays;
}

/** What differs, and whose version is to stay. */
function Clash(props: IFormProps & { form: RJSFSchema }): React.JSX.Element {
  const { editor, form, trans } = props;
  const view = React.useCallback(
    (value: ReadonlyJSONObject) => {
      const words = { displayName: trans.__('Display name'), kept: trans.__('(secret)') };
      return comparable(value, form, secretPlaces(form), words);
    },
    [form, trans]
  );
  return <Conflict editor={editor} view={view} trans={trans} />;
}

/** A form for an instance, made from its schema. */
export default function InstanceForm(props: IFormProps): React.JSX.Element {
  const { editor, schema, tools, trans } = props;
  const { draft } = useModel(editor);
  const [prefix] = React.useState(() => `jp-colophon-instance-${++forms}`);
  const form = useFormSchema(props);
  const context = useContext(props, prefix);
  const strays = useStrays(context);
  const dialect = schema['$schema'];
  const fields = React.useMemo(() => fieldsOf(tools.renderers), [tools]);
  const ui = React.useMemo(() => instanceUi(form as Schema, id => id in fields), [form, fields]);
  const validator = React.useMemo(() => formValidator(dialect), [dialect]);
  React.useEffect(() => editor.checkWith(instanceCheck(form, dialect, trans)), [editor, form, dialect, trans]);
  return (
    <InstanceContext.Provider value={context}>
      <FormComponent
        schema={form}
        uiSchema={ui as NonNullable<FormProps['uiSchema']>}
        formData={draft}
        formContext={context}
        validator={validator}
        fields={fields}
        templates={TEMPLATES}
        widgets={WIDGETS}
        experimental_defaultFormStateBehavior={BEHAVIOUR}
        tagName="div"
        idPrefix={prefix}
        idSeparator="/"
        noValidate
        noHtml5Validate
        showErrorList={false}
        onChange={event => editor.edit(event.formData ?? {})}
        onBlur={id => context.touch(id.slice(prefix.length))}
      />
      <FaultNote
        id={`${prefix}__strays`}
        messages={strays.map(({ pointer, message }) => (pointer === '' ? message : `${pointer}: ${message}`))}
      />
      <Clash {...props} form={form} />
    </InstanceContext.Provider>
  );
}
