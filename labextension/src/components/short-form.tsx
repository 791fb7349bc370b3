import React from 'react';

interface IShortFormProps {
  label: string;
  /** Class names besides that of forms. */
  className: string;
  submit: () => void;
  close: () => void;
  children: React.ReactNode;
}

/** A form in a page. Enter submits it, Escape closes it. */
export function ShortForm({ label, className, submit, close, children }: IShortFormProps): React.JSX.Element {
  return (
    <form
      className={`jp-Colophon-form ${className}`}
      aria-label={label}
      onKeyDown={event => event.key === 'Escape' && close()}
      onSubmit={event => {
        event.preventDefault();
        submit();
      }}
    >
      {children}
    </form>
  );
}
