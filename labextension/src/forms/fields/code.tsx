import type { IEditorServices } from '@jupyterlab/codeeditor';
import { CodeEditor } from '@jupyterlab/codeeditor';
import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { describedBy } from '../context';
import { fieldOf, Frame } from './frame';

interface ICodeProps {
  text: string;
  language: string;
  services: IEditorServices;
  locked: boolean;
  /** The ARIA attributes of the editable element. */
  aria: Record<string, string>;
  change: (text: string) => void;
}

function mimeTypeOf(services: IEditorServices, language: string): string {
  const name = language.toLowerCase();
  return services.mimeTypeService.getMimeTypeByLanguage({ name, codemirror_mode: name });
}

/** JupyterLab's code editor upon a text. */
function Code({ text, language, services, locked, aria, change }: ICodeProps): React.JSX.Element {
  const host = React.useRef<HTMLDivElement>(null);
  const [model, setModel] = React.useState<CodeEditor.IModel | null>(null);
  // What was typed and has not come back as the form's value yet.
  const pending = React.useRef<string[]>([]);
  const latest = React.useRef({ text, change });
  latest.current = { text, change };
  React.useEffect(() => {
    if (!host.current) {
      return;
    }
    const made = new CodeEditor.Model();
    made.sharedModel.setSource(latest.current.text);
    const config = { lineNumbers: true, lineWrap: false, readOnly: locked };
    const editor = services.factoryService.newInlineEditor({ host: host.current, model: made, config });
    const changed = (): void => {
      const source = made.sharedModel.getSource();
      if (source !== latest.current.text) {
        pending.current.push(source);
        latest.current.change(source);
      }
    };
    made.sharedModel.changed.connect(changed);
    setModel(made);
    return () => {
      made.sharedModel.changed.disconnect(changed);
      editor.dispose();
      made.dispose();
    };
  }, [services, locked]);
  React.useEffect(() => {
    const echo = pending.current.indexOf(text);
    pending.current.splice(0, echo < 0 ? pending.current.length : echo + 1);
    // Another text came from outside, such as somebody else's version.
    if (echo < 0 && model && !model.isDisposed && model.sharedModel.getSource() !== text) {
      model.sharedModel.setSource(text);
    }
  }, [model, text]);
  React.useEffect(() => {
    if (model && !model.isDisposed) {
      model.mimeType = mimeTypeOf(services, language);
    }
  }, [model, services, language]);
  React.useEffect(() => {
    const content = host.current?.querySelector('.cm-content');
    Object.entries(aria).forEach(([name, value]) => content?.setAttribute(name, value));
  });
  return <div className="jp-Colophon-code" ref={host} />;
}

function joined(value: unknown): string {
  return Array.isArray(value) ? value.join('\n') : typeof value === 'string' ? value : '';
}

/** Code, kept as lines or as one text. */
export function CodeField(props: FieldProps): React.JSX.Element {
  const field = fieldOf(props);
  const { context, id, pointer, title, invalid } = field;
  const { trans, editors } = context;
  const note = React.useRef<HTMLDivElement>(null);
  const inLines = props.schema.type === 'array';
  const text = joined(props.formData);
  const change = (next: string): void => {
    props.onChange(next === '' ? undefined : inLines ? next.split('\n') : next);
  };
  const labelled = { 'aria-labelledby': `${id}__label`, 'aria-describedby': `${describedBy(id)} ${id}__keys` };
  const label = (
    <div className="jp-Colophon-label" id={`${id}__label`}>
      {title}
      {props.required && <span aria-hidden="true"> *</span>}
    </div>
  );
  return (
    <Frame field={field} required={props.required} description={props.schema.description} label={label}>
      <div
        id={id}
        className="jp-Colophon-codeBox"
        data-invalid={invalid}
        onBlur={() => context.touch(pointer)}
        onKeyDown={event => {
          // Tab belongs to the code: Escape leads to the note below it, from where Tab goes on.
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
            locked={context.readOnly}
            aria={{ ...labelled, 'aria-invalid': String(invalid) }}
            change={change}
          />
        ) : (
          <textarea
            {...labelled}
            aria-invalid={invalid}
            rows={8}
            spellCheck={false}
            value={text}
            onChange={event => change(event.target.value)}
          />
        )}
      </div>
      <div className="jp-Colophon-help" id={`${id}__keys`} ref={note} tabIndex={-1}>
        {editors && trans.__('Escape, then Tab, leaves the code.')}
      </div>
    </Frame>
  );
}
