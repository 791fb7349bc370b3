import { addIcon, editIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { FieldErrors } from '../../../forms/field-errors';
import { Conflict } from '../../../forms/conflict';
import { ProblemNote } from '../../../components/problem';
import { useModel } from '../../../components/use-model';
import type { FormEditor } from '../../../model/editing/editor';
import type { EntityModel } from '../model';
import type { IPage } from '../page';
import type { IField } from './user-metadata';
import { getFieldText, setFieldText } from './user-metadata';

/** Returns the open editor of a text of the entity; null if the text is not edited. */
export function useFieldEditor(model: EntityModel, field: IField | null): FormEditor | null {
  const { editor, field: pointer } = useModel(model);
  const isOpen = editor?.urn === model.urn && editor.spec.name === field?.spec.name && pointer === field.pointer;
  return isOpen ? editor : null;
}

interface ITextEditorProps {
  page: IPage;
  editor: FormEditor;
  pointer: string;
  label: string;
  multiline: boolean;
  preview: ((text: string) => React.ReactNode) | undefined;
}

/** The input of a text that is edited in place: Enter (of several lines: Ctrl+Enter) saves, Escape cancels. */
function TextEditor({ page, editor, pointer, label, multiline, preview }: ITextEditorProps): React.JSX.Element {
  const { trans } = page;
  const { draft, saving, problem, serverErrors, conflict, newerActor } = useModel(editor);
  const [isPreview, setIsPreview] = React.useState(false);
  const id = React.useId();
  const text = getFieldText(draft, pointer);
  const save = (): void => {
    editor.edit(setFieldText(draft, pointer, text.trim()));
    void editor.save();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      void page.stopEditing();
    } else if (event.key === 'Enter' && (!multiline || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      save();
    }
  };
  const input = {
    id,
    value: text,
    autoFocus: true,
    'aria-label': label,
    'aria-invalid': serverErrors.length > 0,
    'aria-describedby': `${id}-error`,
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      editor.edit(setFieldText(draft, pointer, event.target.value)),
    onKeyDown
  };
  return (
    <form
      className="jp-Colophon-form jp-Colophon-inlineForm"
      aria-label={trans.__('Edit: %1', label)}
      onSubmit={event => {
        event.preventDefault();
        save();
      }}
    >
      {isPreview ? (
        <div className="jp-Colophon-preview">{preview?.(text)}</div>
      ) : multiline ? (
        <textarea rows={Math.min(Math.max(text.split('\n').length + 1, 3), 16)} {...input} />
      ) : (
        <input type="text" {...input} />
      )}
      <FieldErrors id={`${id}-error`} messages={serverErrors.map(({ message }) => message)} />
      {newerActor !== null && !conflict && (
        <p role="status" className="jp-Colophon-warning">
          {trans.__('%1 has changed this in the meantime. Other fields are merged when you save.', newerActor)}
        </p>
      )}
      {problem && <ProblemNote problem={problem} trans={trans} />}
      <Conflict editor={editor} trans={trans} />
      {!conflict && (
        <div className="jp-Colophon-actions">
          <button type="submit" className="jp-Colophon-button jp-mod-primary" disabled={saving}>
            {saving ? trans.__('Saving…') : trans.__('Save')}
          </button>
          <button type="button" className="jp-Colophon-button" onClick={() => void page.stopEditing()}>
            {trans.__('Cancel')}
          </button>
          {preview && (
            <button
              type="button"
              className="jp-Colophon-button"
              aria-pressed={isPreview}
              onClick={() => setIsPreview(!isPreview)}
            >
              {trans.__('Preview')}
            </button>
          )}
          {multiline && <span className="jp-Colophon-note">{trans.__('Markdown · Ctrl+Enter saves')}</span>}
        </div>
      )}
    </form>
  );
}

interface IEditableTextProps {
  page: IPage;
  /** The editor of this text, if it is open. */
  editor: FormEditor | null;
  pointer: string;
  open: () => void;
  /** What the text is, such as "Description". */
  label: string;
  text: string;
  /** The label of the button that is shown instead of a missing text. */
  prompt: string;
  canEdit: boolean;
  multiline?: boolean;
  /** Displays the text; by default, unchanged. */
  render?: (text: string) => React.ReactNode;
  preview?: (text: string) => React.ReactNode;
}

/** Whether a click was meant for something else: a link, a button, or a selection of text. */
function isOtherClick(event: React.MouseEvent): boolean {
  const target = event.target as Element;
  return target.closest('a, button, input, textarea') !== null || String(window.getSelection()) !== '';
}

/** A text that is edited in place: a click on it, or its button, opens the input. */
export function EditableText(props: IEditableTextProps): React.JSX.Element | null {
  const { page, editor, pointer, open, label, text, prompt, canEdit, multiline = false, render, preview } = props;
  const { trans } = page;
  const button = React.useRef<HTMLButtonElement>(null);
  const wasOpen = React.useRef(false);
  const isOpen = editor !== null;
  React.useEffect(() => {
    // The focus was lost with the input.
    if (wasOpen.current && !isOpen && document.activeElement === document.body) {
      button.current?.focus();
    }
    wasOpen.current = isOpen;
  }, [isOpen]);
  const start = (): void => void page.stopEditing().then(closed => closed && open());
  if (editor) {
    return (
      <TextEditor page={page} editor={editor} pointer={pointer} label={label} multiline={multiline} preview={preview} />
    );
  }
  if (text === '') {
    return canEdit ? (
      <button ref={button} type="button" className="jp-Colophon-prompt" onClick={start}>
        <addIcon.react tag="span" width="14px" />
        {prompt}
      </button>
    ) : null;
  }
  const shown = render ? render(text) : text;
  return canEdit ? (
    <div className="jp-Colophon-editable" onClick={event => !isOtherClick(event) && start()}>
      <div className="jp-Colophon-editableText">{shown}</div>
      <button
        ref={button}
        type="button"
        className="jp-Colophon-tool"
        title={trans.__('Edit: %1', label)}
        aria-label={trans.__('Edit: %1', label)}
        onClick={start}
      >
        <editIcon.react tag="span" width="14px" />
      </button>
    </div>
  ) : (
    <div>{shown}</div>
  );
}
