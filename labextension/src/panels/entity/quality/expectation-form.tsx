import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { focusFirstError } from '../../../components/focus-first-error';
import { ProblemNote } from '../../../components/problem';
import { ShortForm } from '../../../components/short-form';
import { useModel } from '../../../components/use-model';
import { Conflict } from '../../../forms/conflict';
import { FieldErrors } from '../../../forms/field-errors';
import type { Entity } from '../../../generated/api';
import type { FormEditor } from '../../../model/editing/editor';
import type { DurationUnit } from '../../../model/quality/duration';
import type { FieldName, IExpectationFields } from '../../../model/quality/expectation-fields';
import {
  COMMON_FIELDS,
  createExpectationId,
  hasField,
  readFields,
  toFields,
  WRITABLE_KINDS
} from '../../../model/quality/expectation-fields';
import type { ExpectationKind, IExpectation, Severity } from '../../../model/quality/quality';
import { EXPECTATIONS_ASPECT } from '../../../model/quality/quality';
import { appendStep, getValueAt, setValueAt, splitPointer } from '../../../model/schemas/pointer';
import type { IColumn } from '../columns/columns';
import { listColumns } from '../columns/columns';
import { getKindLabel } from './labels';

const ROOT = `/${EXPECTATIONS_ASPECT}`;

/** The id of a new expectation until it is saved. */
const NEW_ID = 'new';

/** Returns the expectation with an id in a draft; null if there is none. */
function getExpectation(draft: object, id: string): IExpectation | null {
  return (getValueAt(draft, appendStep(ROOT, id)) as IExpectation | undefined) ?? null;
}

/** The fields of the form, and how they are changed and saved. */
interface IDraft {
  fields: IExpectationFields;
  set: (change: Partial<IExpectationFields>) => void;
  touch: (field: FieldName) => void;
  save: () => Promise<void>;
  /** Returns the errors to show at a field; null for those of no field. */
  listErrors: (field: FieldName | null) => string[];
}

/** Keeps the fields of the form, and writes them into the draft of the editor. */
function useDraft(editor: FormEditor, columns: readonly IColumn[], id: string, trans: TranslationBundle): IDraft {
  useModel(editor);
  const known = id === '' ? null : getExpectation(editor.state.draft, id);
  const [fields, setFields] = React.useState(() => toFields(known));
  const [draftId, setDraftId] = React.useState(id === '' ? NEW_ID : id);
  const getType = (path: string): string => columns.find(column => column.path === path)?.type ?? '';
  const read = (of: IExpectationFields) => readFields(of, getType(of.column), known?.origin, trans);
  const write = (of: IExpectationFields, at: string): void => {
    const { expectation, errors } = read(of);
    const pointer = appendStep(ROOT, at);
    const faults = Object.entries(errors).map(([field, message]) => ({ pointer: appendStep(pointer, field), message }));
    const others = setValueAt(editor.state.draft, appendStep(ROOT, draftId), undefined);
    editor.setInputErrors(ROOT, faults);
    editor.edit(setValueAt(others, pointer, expectation));
  };
  return {
    fields,
    set: change => {
      const next = { ...fields, ...change };
      setFields(next);
      write(next, draftId);
    },
    touch: field => editor.touch(appendStep(appendStep(ROOT, draftId), field)),
    save: () => {
      const others = setValueAt(editor.state.draft, appendStep(ROOT, draftId), undefined);
      const isTaken = (name: string): boolean => getExpectation(others, name) !== null;
      const at = id === '' ? createExpectationId(read(fields).expectation, isTaken) : id;
      setDraftId(at);
      write(fields, at);
      return editor.save();
    },
    listErrors: field =>
      editor
        .listErrors()
        .filter(({ pointer }) => {
          const name = splitPointer(pointer)[2] ?? null;
          const isShown = name !== null && (name === 'kind' || hasField(fields.kind, name as FieldName));
          return field === null ? !isShown && !COMMON_FIELDS.some(common => common === name) : name === field;
        })
        .map(({ message }) => message)
  };
}

interface IFieldProps {
  draft: IDraft;
  field: FieldName;
  label: string;
  hint?: string;
  /** The control, which gets the attributes. */
  children: (attributes: IControl) => React.JSX.Element;
}

/** The attributes of a control. */
interface IControl {
  id: string;
  value: string;
  'aria-invalid': boolean;
  'aria-describedby': string;
  onBlur: () => void;
  onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) => void;
}

/** A control with its label, a hint and its errors. */
function Field({ draft, field, label, hint, children }: IFieldProps): React.JSX.Element {
  const id = React.useId();
  const messages = draft.listErrors(field);
  return (
    <div className="jp-Colophon-expectationField">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        value: draft.fields[field],
        'aria-invalid': messages.length > 0,
        'aria-describedby': `${id}-hint ${id}-error`,
        onBlur: () => draft.touch(field),
        onChange: event => draft.set({ [field]: event.target.value })
      })}
      {hint !== undefined && (
        <span className="jp-Colophon-note" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      <FieldErrors id={`${id}-error`} messages={messages} />
    </div>
  );
}

interface IPartProps {
  draft: IDraft;
  columns: readonly IColumn[];
  trans: TranslationBundle;
}

/** The choice of a column of the schema; a text where the schema is unknown. */
function ColumnField({ draft, columns, trans }: IPartProps): React.JSX.Element {
  const { column } = draft.fields;
  const isMissing = column !== '' && !columns.some(({ path }) => path === column);
  return (
    <Field draft={draft} field="column" label={trans.__('Column')}>
      {control =>
        columns.length === 0 ? (
          <input type="text" spellCheck={false} {...control} />
        ) : (
          <select {...control}>
            <option value="">{trans.__('Choose a column')}</option>
            {isMissing && <option value={column}>{trans.__('%1 (not in the schema)', column)}</option>}
            {columns.map(({ path, type }) => (
              <option key={path} value={path}>
                {type === undefined || type === '' ? path : `${path} (${type})`}
              </option>
            ))}
          </select>
        )
      }
    </Field>
  );
}

/** The greatest age: a number and its unit. */
function AgeField({ draft, trans }: IPartProps): React.JSX.Element {
  const units: [DurationUnit, string][] = [
    ['minutes', trans.__('minutes')],
    ['hours', trans.__('hours')],
    ['days', trans.__('days')]
  ];
  return (
    <Field draft={draft} field="maxAge" label={trans.__('Greatest age of the newest value')}>
      {control => (
        <span className="jp-Colophon-expectationAge">
          <input type="text" inputMode="numeric" {...control} />
          <select
            aria-label={trans.__('Unit')}
            value={draft.fields.unit}
            onChange={event => draft.set({ unit: event.target.value as DurationUnit })}
          >
            {units.map(([unit, label]) => (
              <option key={unit} value={unit}>
                {label}
              </option>
            ))}
          </select>
        </span>
      )}
    </Field>
  );
}

/** The smallest and the greatest value. */
function BoundFields({ draft, trans }: IPartProps): React.JSX.Element {
  const isRows = draft.fields.kind === 'rowCount';
  const hint = isRows ? undefined : trans.__('A number, a date such as 2026-01-31, or a text. Both are included.');
  return (
    <>
      <Field draft={draft} field="min" label={isRows ? trans.__('Fewest rows') : trans.__('Minimum')}>
        {control => <input type="text" {...control} />}
      </Field>
      <Field
        draft={draft}
        field="max"
        label={isRows ? trans.__('Most rows') : trans.__('Maximum')}
        {...(hint === undefined ? {} : { hint })}
      >
        {control => <input type="text" {...control} />}
      </Field>
    </>
  );
}

/** The columns that the dataset has to have; those of the schema can be taken over. */
function ColumnsField({ draft, columns, trans }: IPartProps): React.JSX.Element {
  const take = (): void =>
    draft.set({ columns: columns.map(({ path, type }) => `${path} ${type ?? ''}`.trim()).join('\n') });
  return (
    <>
      <Field
        draft={draft}
        field="columns"
        label={trans.__('Columns')}
        hint={trans.__('One a line: the name, and its type in Spark if that matters.')}
      >
        {control => <textarea rows={5} spellCheck={false} {...control} />}
      </Field>
      {columns.length > 0 && (
        <button type="button" className="jp-Colophon-button" onClick={take}>
          {trans.__('Take the columns of the schema')}
        </button>
      )}
    </>
  );
}

/** The parameters of the chosen kind. */
function Parameters(props: IPartProps): React.JSX.Element {
  const { draft, trans } = props;
  const has = (field: FieldName): boolean => hasField(draft.fields.kind, field);
  return (
    <>
      {has('column') && <ColumnField {...props} />}
      {has('min') && <BoundFields {...props} />}
      {has('values') && (
        <Field draft={draft} field="values" label={trans.__('Values')} hint={trans.__('One a line.')}>
          {control => <textarea rows={5} spellCheck={false} {...control} />}
        </Field>
      )}
      {has('pattern') && (
        <Field
          draft={draft}
          field="pattern"
          label={trans.__('Regular expression')}
          hint={trans.__('Each value must contain a match; ^ and $ match whole values.')}
        >
          {control => <input type="text" spellCheck={false} {...control} />}
        </Field>
      )}
      {has('maxAge') && <AgeField {...props} />}
      {has('columns') && <ColumnsField {...props} />}
      {has('tolerance') && (
        <Field draft={draft} field="tolerance" label={trans.__('Share of rows that may fail, in percent')}>
          {control => <input type="text" inputMode="decimal" placeholder="0" {...control} />}
        </Field>
      )}
    </>
  );
}

/** How serious a failure is. */
function SeverityField({ draft, trans }: Omit<IPartProps, 'columns'>): React.JSX.Element {
  const labels: Record<Severity, string> = { error: trans.__('Error'), warning: trans.__('Warning') };
  return (
    <Field
      draft={draft}
      field="severity"
      label={trans.__('A failure is')}
      hint={trans.__('Warnings do not stop pipelines.')}
    >
      {control => (
        <select {...control}>
          {Object.entries(labels).map(([severity, label]) => (
            <option key={severity} value={severity}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** What happened while the form was open, and why it could not be saved. */
function Notes(props: { editor: FormEditor; draft: IDraft; trans: TranslationBundle }): React.JSX.Element {
  const { editor, draft, trans } = props;
  const { newerActor, conflict, problem } = useModel(editor);
  return (
    <>
      <FieldErrors id="" messages={draft.listErrors(null)} />
      {newerActor !== null && !conflict && (
        <p role="status" className="jp-Colophon-warning">
          {trans.__('%1 has changed this in the meantime. Saving will show both versions.', newerActor)}
        </p>
      )}
      {problem && <ProblemNote problem={problem} trans={trans} />}
      <Conflict editor={editor} trans={trans} />
    </>
  );
}

/** The form of an expectation. Enter saves, Escape cancels. */
export default function ExpectationForm(props: {
  editor: FormEditor;
  entity: Entity;
  /** The id of the expectation; empty for a new one. */
  id: string;
  close: () => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { editor, entity, id, close, trans } = props;
  const { conflict, saving } = useModel(editor);
  const container = React.useRef<HTMLDivElement>(null);
  const columns = React.useMemo(() => listColumns(entity, [], undefined), [entity]);
  const draft = useDraft(editor, columns, id, trans);
  const origin = id === '' ? undefined : getExpectation(editor.base, id)?.origin;
  const save = (): void => {
    if (!editor.state.conflict) {
      void draft.save().then(() => focusFirstError(container.current));
    }
  };
  return (
    <div ref={container}>
      <ShortForm
        className="jp-Colophon-inlineForm jp-Colophon-expectationForm"
        label={id === '' ? trans.__('New expectation') : trans.__('Edit: %1', id)}
        submit={save}
        close={close}
      >
        <Field draft={draft} field="kind" label={trans.__('Expected')}>
          {control => (
            <select
              autoFocus
              {...control}
              onChange={event => draft.set({ kind: event.target.value as ExpectationKind })}
            >
              {WRITABLE_KINDS.map(kind => (
                <option key={kind} value={kind}>
                  {getKindLabel(kind, trans)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Parameters draft={draft} columns={columns} trans={trans} />
        <SeverityField draft={draft} trans={trans} />
        <Field draft={draft} field="description" label={trans.__('Description')}>
          {control => <input type="text" maxLength={2000} {...control} />}
        </Field>
        {origin !== undefined && (
          <p className="jp-Colophon-note">{trans.__('The next import from %1 replaces your changes.', origin)}</p>
        )}
        <Notes editor={editor} draft={draft} trans={trans} />
        {/* A conflict has its own buttons. */}
        {!conflict && (
          <div className="jp-Colophon-actions">
            <button type="submit" className="jp-Colophon-button jp-mod-primary" disabled={saving}>
              {saving ? trans.__('Saving…') : trans.__('Save')}
            </button>
            <button type="button" className="jp-Colophon-button" onClick={close}>
              {trans.__('Cancel')}
            </button>
          </div>
        )}
      </ShortForm>
    </div>
  );
}
