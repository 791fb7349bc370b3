import { FormComponent } from '@jupyterlab/ui-components';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { RJSFSchema } from '@rjsf/utils';
import React from 'react';
import type { IFault } from '../model/problem';
import type { IRendererNames } from '../model/ui-schema';
import type { IFormContext } from './context';
import { FormContext, FormTools } from './context';
import { FaultNote } from './fault-note';
import { rendererNames } from './renderer-names';
import { formFields, formWidgets } from './renderers';
import { ArrayFieldTemplate, FieldTemplate, ObjectFieldTemplate, UnsupportedFieldTemplate } from './templates';
import { formValidator } from './validation';
import { BaseInputTemplate } from './widgets';

type FormProps = React.ComponentProps<typeof FormComponent>;

const TEMPLATES = {
  ArrayFieldTemplate,
  BaseInputTemplate,
  FieldTemplate,
  ObjectFieldTemplate,
  UnsupportedFieldTemplate
} as unknown as NonNullable<FormProps['templates']>;

/** A form changes what a person changes, and nothing else. */
const BEHAVIOUR = {
  arrayMinItems: { populate: 'never' },
  emptyObjectFields: 'skipDefaults',
  constAsDefaults: 'never'
} as const;

/** Whether a fault is shown at its place, or at one that contains it. */
function isShown(fault: IFault, notes: readonly Element[], prefix: string): boolean {
  const steps = fault.pointer.split('/');
  const above = steps.slice(2).map((_, index) => `${prefix}${steps.slice(0, index + 2).join('/')}`);
  return notes.some(
    note =>
      note.id === `${prefix}${fault.pointer}__error` ||
      (note.textContent.includes(fault.message) &&
        above.some(place => note.id.startsWith(`${place}_`) || note.id.startsWith(`${place}/`)))
  );
}

/** Returns the faults at places that the form does not show: they would else prevent a save without a reason. */
function useUnplacedFaults(context: IFormContext): readonly IFault[] {
  const [unplaced, setUnplaced] = React.useState<readonly IFault[]>([]);
  const { faults, prefix } = context;
  React.useLayoutEffect(() => {
    const notes = [...document.querySelectorAll('.jp-Colophon-fault')].filter(
      note => note.id !== `${prefix}__unplaced`
    );
    const found = faults.filter(fault => !isShown(fault, notes, prefix));
    setUnplaced(old => (old.length + found.length === 0 ? old : found));
  }, [faults, prefix]);
  return unplaced;
}

/** The fields of a form for a document with a JSON Schema: an aspect, a part of one, or an instance. */
export function SchemaForm(props: {
  schema: RJSFSchema;
  dialect: unknown;
  /** Creates rjsf's `uiSchema`; keep its identity while the schema is the same. */
  ui: (names: IRendererNames) => Record<string, unknown>;
  context: IFormContext;
  onChange: (draft: ReadonlyJSONObject) => void;
}): React.JSX.Element {
  const { schema, dialect, ui, context, onChange } = props;
  const { prefix } = context;
  const unplaced = useUnplacedFaults(context);
  const { renderers } = React.useContext(FormTools);
  const [fields, widgets] = React.useMemo(() => [formFields(renderers), formWidgets(renderers)], [renderers]);
  const uiSchema = React.useMemo(() => ui(rendererNames(fields, widgets)), [ui, fields, widgets]);
  const validator = React.useMemo(() => formValidator(dialect), [dialect]);
  return (
    <FormContext.Provider value={context}>
      <FormComponent
        schema={schema}
        uiSchema={uiSchema as NonNullable<FormProps['uiSchema']>}
        formData={context.draft}
        formContext={context}
        validator={validator}
        fields={fields}
        widgets={widgets}
        templates={TEMPLATES}
        experimental_defaultFormStateBehavior={BEHAVIOUR}
        tagName="div"
        idPrefix={prefix}
        idSeparator="/"
        noValidate
        noHtml5Validate
        showErrorList={false}
        onChange={event => onChange(event.formData ?? {})}
        onBlur={id => context.touch(id.slice(prefix.length))}
      />
      <FaultNote
        id={`${prefix}__unplaced`}
        messages={unplaced.map(({ pointer, message }) => (pointer === '' ? message : `${pointer}: ${message}`))}
      />
    </FormContext.Provider>
  );
}
