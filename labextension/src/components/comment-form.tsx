import React from 'react';

/** A button of the form. */
export interface ICommentAction {
  label: string;
  /** Acts with the comment, which may be empty; resolves to whether it succeeded. */
  run: (comment: string) => Promise<boolean>;
  /** Whether there must be a comment. */
  needsComment?: boolean;
}

interface ICommentFormProps {
  /** What the comment is called; null without a comment. */
  label: string | null;
  /** The action of the form's default button; null if there is none. */
  primary: ICommentAction | null;
  others: readonly ICommentAction[];
  busy: boolean;
}

/** Buttons that decide or answer, with a comment. */
export function CommentForm({ label, primary, others, busy }: ICommentFormProps): React.JSX.Element {
  const [text, setText] = React.useState('');
  const comment = text.trim();
  const run = async (action: ICommentAction): Promise<void> => {
    if (await action.run(comment)) {
      setText('');
    }
  };
  return (
    <form
      className="jp-Colophon-form jp-Colophon-inlineForm"
      onSubmit={event => {
        event.preventDefault();
        if (primary !== null) {
          void run(primary);
        }
      }}
    >
      {label !== null && (
        <textarea
          rows={2}
          aria-label={label}
          placeholder={label}
          value={text}
          maxLength={4000}
          onChange={event => setText(event.target.value)}
        />
      )}
      <div className="jp-Colophon-actions">
        {primary !== null && (
          <button type="submit" className="jp-Colophon-button jp-mod-primary" disabled={busy}>
            {primary.label}
          </button>
        )}
        {others.map(action => (
          <button
            key={action.label}
            type="button"
            className="jp-Colophon-button"
            disabled={busy || (action.needsComment === true && comment === '')}
            onClick={() => void run(action)}
          >
            {action.label}
          </button>
        ))}
      </div>
    </form>
  );
}
