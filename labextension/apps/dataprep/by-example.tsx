import React from 'react';
import { usePanelModel } from '../use-panel-model';
import { buildExamples, listInputs } from './examples';
import type { IWorkspaceProps } from './workspace';

/** Finds directives from what the user wants for a few values of a column. */
export function ByExample(
  props: IWorkspaceProps & { column: string; apply(lines: readonly string[]): void }
): React.JSX.Element | null {
  const { model, column, apply, trans } = props;
  const { page } = usePanelModel(model);
  const inputs = React.useMemo(() => (page === null ? [] : listInputs(page, column)), [page, column]);
  const [wanted, setWanted] = React.useState<readonly string[]>([]);
  const [found, setFound] = React.useState<string[][] | string | null>(null);
  if (inputs.length === 0) {
    return null;
  }
  const examples = buildExamples(inputs, wanted);
  const submit = async (event: React.FormEvent): Promise<void> => {
    event.preventDefault();
    setFound(await model.findByExample(column, examples));
  };
  return (
    <details className="jp-Dataprep-example">
      <summary>{trans.__('By example')}</summary>
      <form className="jp-Dataprep-form" aria-label={trans.__('By example')} onSubmit={event => void submit(event)}>
        <p className="jp-Colophon-note">
          {trans.__('Type what some of the values should become. Separate the parts of a split by |.')}
        </p>
        {inputs.map((input, at) => (
          <label key={input}>
            <code>{input}</code>
            <input
              value={wanted[at] ?? ''}
              onChange={event =>
                setWanted(inputs.map((_, index) => (index === at ? event.target.value : (wanted[index] ?? ''))))
              }
            />
          </label>
        ))}
        <button className="jp-Colophon-button" disabled={examples.length === 0}>
          {trans.__('Find directives')}
        </button>
      </form>
      <div role="status">
        {typeof found === 'string' && <p className="jp-Colophon-error">{found}</p>}
        {found?.length === 0 && (
          <p className="jp-Colophon-note">
            {trans.__(
              'No directive makes all of these values. Enter fewer of them, or check them for typing errors; otherwise write a directive above the table: replace-value changes single values, find-and-replace parts of texts, and set-column computes a value.'
            )}
          </p>
        )}
      </div>
      {Array.isArray(found) && (
        <ul className="jp-Dataprep-list" aria-label={trans.__('Found directives')}>
          {found.map(lines => (
            <li key={lines.join('\n')}>
              <button type="button" className="jp-Colophon-button" onClick={() => apply(lines)}>
                <code>{lines.join('; ')}</code>
              </button>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
