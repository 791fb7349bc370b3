import React from 'react';
import { ConfirmButton } from '../confirm-button';
import type { IRefusal } from '../refusal';
import { parseRefusal } from '../refusal';
import { usePanelModel } from '../use-panel-model';
import type { IJob } from './documents';
import type { IViewProps } from './view';

/** Names of experiments, splits, models and predictions. */
const NAME = '[A-Za-z0-9][A-Za-z0-9_\\-]{0,63}';

/** What a form shares with its fields: why the server refuses what was entered, and which members have a field. */
const Refused = React.createContext<IRefusal | null>(null);

/** Whether a refusal is about one of these members, or a part of one. */
function isAbout(refusal: IRefusal | null, members: readonly string[]): boolean {
  return members.some(member => refusal?.member === member || refusal?.member.startsWith(`${member}/`) === true);
}

/** A labelled field of a form, with help below it, and why the server refuses its value. */
export function Field(props: {
  label: string;
  help?: string;
  /** The members of the body that the field edits. */
  members?: readonly string[];
  /** Renders the control with the id that the label refers to, and what describes it. */
  children: (id: string, description: React.AriaAttributes) => React.JSX.Element;
}): React.JSX.Element {
  const { label, help, members = [], children } = props;
  const refusal = React.useContext(Refused);
  const id = React.useId();
  const isRefused = isAbout(refusal, members);
  const describedBy = [help ? `${id}-help` : '', isRefused ? `${id}-error` : ''].filter(each => each !== '').join(' ');
  return (
    <div className="jp-Colophon-field">
      <label htmlFor={id}>{label}</label>
      {children(id, {
        ...(describedBy ? { 'aria-describedby': describedBy } : {}),
        ...(isRefused ? { 'aria-invalid': true } : {})
      })}
      {help && (
        <span id={`${id}-help`} className="jp-Colophon-help">
          {help}
        </span>
      )}
      {isRefused && (
        <span id={`${id}-error`} className="jp-Colophon-error" role="alert">
          {refusal?.message}
        </span>
      )}
    </div>
  );
}

/** The texts of a field, and the members of the body that it edits. */
interface IFieldTexts {
  label: string;
  help?: string;
  members?: readonly string[];
}

/** A field with a text. */
export function TextField(
  props: Omit<React.InputHTMLAttributes<HTMLInputElement>, 'onChange'> &
    IFieldTexts & { setValue: (value: string) => void }
): React.JSX.Element {
  const { label, help, members, setValue, ...input } = props;
  return (
    <Field label={label} {...(help ? { help } : {})} {...(members ? { members } : {})}>
      {(id, description) => (
        <input
          spellCheck={false}
          {...input}
          {...description}
          id={id}
          onChange={event => setValue(event.target.value)}
        />
      )}
    </Field>
  );
}

/** A field with the name of something new. */
export function NameField(props: {
  value: string;
  setValue: (value: string) => void;
  trans: IViewProps['trans'];
}): React.JSX.Element {
  const { trans, ...field } = props;
  const help = trans.__('Letters, digits, “_” and “-”; at most 64, the first one a letter or digit.');
  return (
    <TextField
      {...field}
      label={trans.__('Name')}
      help={help}
      members={['name']}
      pattern={NAME}
      // The browser shows it with its message.
      title={help}
      autoFocus
      required
    />
  );
}

/** A field with a file or a folder. */
export function DataField(props: {
  help: string;
  value: string;
  setValue: (value: string) => void;
  trans: IViewProps['trans'];
}): React.JSX.Element {
  const { trans, ...field } = props;
  return (
    <TextField
      {...field}
      label={trans.__('Data')}
      members={['source']}
      placeholder={trans.__('For example: %1', 'data/customers.csv')}
      required
    />
  );
}

/** A field with a choice. */
export function Choice(
  props: IFieldTexts & {
    value: string;
    options: readonly { value: string; label: string }[];
    setValue: (value: string) => void;
  }
): React.JSX.Element {
  const { value, options, setValue, ...texts } = props;
  return (
    <Field {...texts}>
      {(id, description) => (
        <select id={id} {...description} value={value} onChange={event => setValue(event.target.value)}>
          {options.map(option => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A form with its buttons. Enter submits it, Escape closes it. The focus stays while it is sent. */
export function Form(props: {
  label: string;
  submitLabel: string;
  /** Whether the form can be submitted; by default, it can. */
  ready?: boolean;
  /** The members of the body that have a field; of others, a refusal is shown below the fields. */
  members: readonly string[];
  /** Sends what was entered; resolves to why it is refused, to an empty text, or to null if the form has a next step. */
  submit: () => Promise<string | null>;
  close: () => void;
  trans: IViewProps['trans'];
  children: React.ReactNode;
}): React.JSX.Element {
  const { label, submitLabel, ready = true, members, submit, close, trans, children } = props;
  const [refusal, setRefusal] = React.useState<IRefusal | null>(null);
  const [isSending, setSending] = React.useState(false);
  const send = async (): Promise<void> => {
    setSending(true);
    const reason = await submit();
    setSending(false);
    setRefusal(parseRefusal(reason ?? ''));
    if (reason === '') {
      close();
    }
  };
  return (
    <form
      className="jp-Colophon-form jp-Analytics-form"
      aria-label={label}
      onKeyDown={event => event.key === 'Escape' && close()}
      onSubmit={event => {
        event.preventDefault();
        if (!isSending) {
          void send();
        }
      }}
    >
      <Refused.Provider value={refusal}>{children}</Refused.Provider>
      {refusal !== null && !isAbout(refusal, members) && (
        <p role="alert" className="jp-Colophon-error">
          {refusal.member === '' ? refusal.message : `${refusal.member}: ${refusal.message}`}
        </p>
      )}
      <div className="jp-Colophon-actions">
        <button className="jp-Colophon-button jp-mod-primary" aria-disabled={isSending} disabled={!ready}>
          {submitLabel}
        </button>
        <button type="button" className="jp-Colophon-button" onClick={close}>
          {trans.__('Cancel')}
        </button>
      </div>
    </form>
  );
}

/** A button that opens a form below it. */
export function FormToggle(props: {
  label: string;
  /** Renders the form, which calls `close` when it is done. */
  children: (close: () => void) => React.JSX.Element;
}): React.JSX.Element {
  const { label, children } = props;
  const [isOpen, setOpen] = React.useState(false);
  const button = React.useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <>
      <div className="jp-Colophon-actions">
        <button
          ref={button}
          type="button"
          className="jp-Colophon-button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {label}
        </button>
      </div>
      {isOpen && children(close)}
    </>
  );
}

/** How far a job is, or why it failed. */
export function JobState({ job, trans }: { job: IJob; trans: IViewProps['trans'] }): React.JSX.Element {
  if (job.state === 'running') {
    return (
      <span className="jp-Analytics-running">
        <progress aria-label={trans.__('Progress of %1', job.name)} />
        {job.progress === '' ? trans.__('running') : job.progress}
      </span>
    );
  }
  if (job.state === 'failed') {
    return <span className="jp-Colophon-error">{trans.__('failed: %1', job.problem)}</span>;
  }
  return (
    <>
      {trans.__('complete')}
      {job.lineageProblem !== '' && (
        <p className="jp-Colophon-help">{trans.__('Not in the lineage: %1', job.lineageProblem)}</p>
      )}
    </>
  );
}

/** A button that deletes something, after a question; none for a user who may not delete. */
export function DeleteButton(
  props: Pick<IViewProps, 'model' | 'trans'> & { name: string; question: string; run: () => void }
): React.JSX.Element | null {
  const { model, name, question, run, trans } = props;
  const { deletion } = usePanelModel(model);
  if (!deletion.allowed) {
    return null;
  }
  return (
    <ConfirmButton
      label={trans.__('Delete')}
      accessibleLabel={trans.__('Delete %1', name)}
      question={question}
      run={run}
    />
  );
}

/** Why the user may not delete anything. */
export function DeletionNote({ model, trans }: Pick<IViewProps, 'model' | 'trans'>): React.JSX.Element | null {
  const { deletion } = usePanelModel(model);
  if (deletion.allowed) {
    return null;
  }
  return (
    <p className="jp-Colophon-note">
      {trans.__(
        'You cannot delete experiments, splits, models and predictions of this namespace: that also deletes their entities, for which you need the right "delete" (%1).',
        deletion.reason
      )}
    </p>
  );
}

/** The cells of a row with the state of a job, and what can be done with its result when it has ended. */
export function JobCells(props: {
  job: IJob;
  trans: IViewProps['trans'];
  children: React.ReactNode;
}): React.JSX.Element {
  const { job, trans, children } = props;
  return (
    <>
      <td>
        <JobState job={job} trans={trans} />
      </td>
      <td>{job.state !== 'running' && children}</td>
    </>
  );
}

/** The head of a row, which shows or hides the details of what it names. */
export function DetailsHead(props: {
  name: string;
  isOpen: boolean;
  disabled?: boolean;
  /** Opens what has the name, or closes what is open. */
  open: (name: string | null) => void;
}): React.JSX.Element {
  const { name, isOpen, disabled, open } = props;
  return (
    <th scope="row">
      <button
        type="button"
        className="jp-Colophon-link"
        aria-expanded={isOpen}
        disabled={disabled}
        onClick={() => open(isOpen ? null : name)}
      >
        {name}
      </button>
    </th>
  );
}

/** Buttons that open an entity, and its lineage, in the catalog. */
export function EntityLinks(props: {
  /** What the entity is, in lower case. */
  what: string;
  urn: string | undefined;
  metadata: IViewProps['metadata'];
  trans: IViewProps['trans'];
}): React.JSX.Element | null {
  const { what, urn, metadata, trans } = props;
  if (!urn) {
    return null;
  }
  return (
    <>
      <button type="button" className="jp-Colophon-button" onClick={() => metadata.openEntity(urn)}>
        {trans.__('Show the %1', what)}
      </button>
      <button type="button" className="jp-Colophon-button" onClick={() => metadata.openLineage(urn)}>
        {trans.__('Lineage of the %1', what)}
      </button>
    </>
  );
}

/** A table that scrolls in its own frame, also with the keyboard. */
export function Table(props: { label: string; children: React.ReactNode }): React.JSX.Element {
  const { label, children } = props;
  return (
    <div className="jp-Colophon-scrollable" role="group" aria-label={label} tabIndex={0}>
      <table className="jp-Colophon-table" aria-label={label}>
        {children}
      </table>
    </div>
  );
}
