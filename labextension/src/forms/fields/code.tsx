import type { IEditorServices } from '@jupyterlab/codeeditor';
import { CodeEditor } from '@jupyterlab/codeeditor';
import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { getDescriptionIds } from '../context';
import { getField, FieldFrame } from './frame';

interface ICodeProps {
  text: string;
  language: string;
  services: IEditorServices;
  readOnly: boolean;
  /** The ARIA attributes of the editable element. */
  aria: Record<string, string>;
  onChange: (text: string) => void;
}

function getMimeType(services: IEditorServices, language: string): string {
  const name = language.toLowerCase();
  return services.mimeTypeService.getMimeTypeByLanguage({ name, codemirror_mode: name });
}

/** JupyterLab's code editor for a text. */
function Code({ text, language, services, readOnly, aria, onChange }: ICodeProps): React.JSX.Element {
  const host = React.useRef<HTMLDivElement>(null);
  const [model, setModel] = React.useState<CodeEditor.IModel | null>(null);
  // Edits that have not been returned as the value of the form yet.
  const pending = React.useRef<string[]>([]);
  const latest = React.useRef({ text, onChange });
  latest.current = { text, onChange };
  React.useEffect(() => {
    if (!host.current) {
      return;
    }
    const editorModel = new CodeEditor.Model();
    editorModel.sharedModel.setSource(latest.current.text);
    const config = { lineNumbers: true, lineWrap: false, readOnly };
    const editor = services.factoryService.newInlineEditor({ host: host.current, model: editorModel, config });
    const onEdit = (): void => {
      const source = editorModel.sharedModel.getSource();
      if (source !== latest.current.text) {
        pending.current.push(source);
        latest.current.onChange(source);
      }
    };
    editorModel.sharedModel.changed.connect(onEdit);
    setModel(editorModel);
    return () => {
      editorModel.sharedModel.changed.disconnect(onEdit);
      editor.dispose();
      editorModel.dispose();
    };
  }, [services, readOnly]);
  React.useEffect(() => {
    const echo = pending.current.indexOf(text);
    pending.current.splice(0, echo < 0 ? pending.current.length : echo + 1);
    // The text was changed elsewhere, for instance by another user.
    if (echo < 0 && model && !model.isDisposed && model.sharedModel.getSource() !== text) {
      model.sharedModel.setSource(text);
    }
  }, [model, text]);
  React.useEffect(() => {
    if (model && !model.isDisposed) {
      model.mimeType = getMimeType(services, language);
    }
  }, [model, services, language]);
  React.useEffect(() => {
    const content = host.current?.querySelector('.cm-content');
    Object.entries(aria).forEach(([name, value]) => content?.setAttribute(name, value));
  });
  return <div className="jp-Colophon-code" ref={host} />;
}

function joinLines(value: unknown): string {
  return Array.isArray(value) ? value.join('\n') : typeof value === 'string' ? value : '';
}

/** A field for code, stored as a list of lines or as a string. */
export function CodeField(props: FieldProps): React.JSX.Element {
  const field = getField(props);
  const { context, id, pointer, title, invalid } = field;
  const { trans, editors } = context;
  const note = React.useRef<HTMLDivElement>(null);
  const isList = props.schema.type === 'array';
  const text = joinLines(props.formData);
  const setCode = (next: string): void => {
    props.onChange(next === '' ? undefined : isList ? next.split('\n') : next);
  };
  const labelled = { 'aria-labelledby': `${id}__label`, 'aria-describedby': `${getDescriptionIds(id)} ${id}__keys` };
  const label = (
    <div className="jp-Colophon-label" id={`${id}__label`}>
      {title}
      {props.required && <span aria-hidden="true"> *</span>}
    </div>
  );
  return (
    <FieldFrame field={field} required={props.required} description={props.schema.description} label={label}>
      <div
        id={id}
        className="jp-Colophon-codeBox"
        data-invalid={invalid}
        onBlur={() => context.touch(pointer)}
        onKeyDown={event => {
          // Tab belongs to the code: Escape moves the focus to the note below it, from where Tab continues.
          if (event.key === 'Escape' && !event.defaultPrevented) {
            note.current?.focus();
          }
        }}
      >
        {editors ? (
          <Code
            text={text}
            language={context.language}
            services={editors}
            readOnly={context.readOnly}
            aria={{ ...labelled, 'aria-invalid': String(invalid) }}
            onChange={setCode}
          />
        ) : (
          <textarea
            {...labelled}
            aria-invalid={invalid}
            rows={8}
            spellCheck={false}
            value={text}
            onChange={event => setCode(event.target.value)}
          />
        )}
      </div>
      <div className="jp-Colophon-help" id={`${id}__keys`} ref={note} tabIndex={-1}>
        {editors && trans.__('Press Escape, then Tab, to leave the editor.')}
      </div>
    </FieldFrame>
  );
}
