import React from 'react';
import { ConfirmButton } from '../confirm-button';
import type { IJob } from './documents';
import type { IViewProps } from './view';

/** Names of experiments, splits, models and predictions. */
const NAME = '[A-Za-z0-9][A-Za-z0-9_\\-]{0,63}';

/** A labelled field of a form, with help below it. */
export function Field(props: {
  label: string;
  help?: string;
  /** Renders the control with the id that the label refers to, and that of the help. */
  children: (id: string, helpId: string | undefined) => React.JSX.Element;
}): React.JSX.Element {
  const { label, help, children } = props;
  const id = React.useId();
  const helpId = help ? `${id}-help` : undefined;
  return (
    <div className="jp-Colophon-field">
      <label htmlFor={id}>{label}</label>
      {children(id, helpId)}
      {help && (
        <span id={helpId} className="jp-Colophon-help">
          {help}
        </span>
      )}
    </div>
  );
}

/** A field with a text. */
export function TextField(
  props: Omit<React.InputHTMLAttributes<HTMLInputElement>, 'onChange'> & {
    label: string;
    help?: string;
    setValue: (value: string) => void;
  }
): React.JSX.Element {
  const { label, help, setValue, ...input } = props;
  return (
    <Field label={label} {...(help ? { help } : {})}>
      {(id, helpId) => (
        <input
          spellCheck={false}
          {...input}
          id={id}
          aria-describedby={helpId}
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
  return (
    <TextField
      {...field}
      label={trans.__('Name')}
      help={trans.__('Letters, digits, “_” and “-”; at most 64, the first one a letter or digit.')}
      pattern={NAME}
      autoFocus
      required
    />
  );
}

/** A field with a choice. */
export function Choice(props: {
  label: string;
  help?: string;
  value: string;
  options: readonly { value: string; label: string }[];
  setValue: (value: string) => void;
}): React.JSX.Element {
  const { label, help, value, options, setValue } = props;
  return (
    <Field label={label} {...(help ? { help } : {})}>
      {(id, helpId) => (
        <select id={id} aria-describedby={helpId} value={value} onChange={event => setValue(event.target.value)}>
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

/** A form with its buttons. Enter submits it, Escape closes it. */
export function Form(props: {
  label: string;
  submitLabel: string;
  busy: boolean;
  /** Whether the form can be submitted; by default, it can. */
  ready?: boolean;
  /** Sends what was entered; resolves to why it is refused, or to an empty text. */
  submit: () => Promise<string>;
  close: () => void;
  trans: IViewProps['trans'];
  children: React.ReactNode;
}): React.JSX.Element {
  const { label, submitLabel, busy, ready = true, submit, close, trans, children } = props;
  const [refusal, setRefusal] = React.useState('');
  const send = async (): Promise<void> => {
    const reason = await submit();
    setRefusal(reason);
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
        void send();
      }}
    >
      {children}
      {refusal !== '' && (
        <p role="alert" className="jp-Colophon-error">
          {refusal}
        </p>
      )}
      <div className="jp-Colophon-actions">
        <button className="jp-Colophon-button jp-mod-primary" disabled={busy || !ready}>
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

/** A button that deletes something, after a question. */
export function DeleteButton(props: {
  name: string;
  question: string;
  run: () => void;
  trans: IViewProps['trans'];
}): React.JSX.Element {
  const { name, question, run, trans } = props;
  return (
    <ConfirmButton
      label={trans.__('Delete')}
      accessibleLabel={trans.__('Delete %1', name)}
      question={question}
      run={run}
    />
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
