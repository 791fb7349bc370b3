import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ByExample } from './by-example';
import { listColumnDirectives } from './column-directives';
import type { IColumnDirective } from './column-directives';
import type { ISuggestion } from './documents';
import { removePlace } from './recipe-error';
import type { IWorkspaceProps } from './workspace';

/** Returns what a directive does. */
function describeDirective(name: IColumnDirective['name'], trans: TranslationBundle): string {
  switch (name) {
    case 'trim':
      return trans.__('Remove blanks at the ends');
    case 'uppercase':
      return trans.__('Uppercase');
    case 'lowercase':
      return trans.__('Lowercase');
    case 'set-type integer':
      return trans.__('Convert to integers');
    case 'set-type double':
      return trans.__('Convert to numbers');
    case 'filter-empty-or-null':
      return trans.__('Remove rows without a value');
    case 'drop':
      return trans.__('Remove the column');
  }
}

/** What can be done with a column: suggestions, directives, and directives by example. */
export function ColumnSection(props: IWorkspaceProps & { column: string; close(): void }): React.JSX.Element {
  const { model, column, close, trans } = props;
  const [suggestions, setSuggestions] = React.useState<ISuggestion[]>([]);
  const [error, setError] = React.useState('');
  const title = React.useRef<HTMLHeadingElement>(null);
  const directives = model.state.workspace?.directives;
  React.useEffect(() => title.current?.focus(), []);
  React.useEffect(() => {
    let isCurrent = true;
    void model.suggest(column).then(found => isCurrent && setSuggestions(found));
    return () => void (isCurrent = false);
  }, [model, column, directives]);
  const append = (lines: readonly string[]): void =>
    void model.append(lines).then(refusal => setError(removePlace(refusal)));
  return (
    <section className="jp-Colophon-card-section" aria-labelledby="dataprep-column">
      <h2 id="dataprep-column" ref={title} tabIndex={-1}>
        {trans.__('Column %1', column)}
      </h2>
      {error !== '' && (
        <p className="jp-Colophon-error" role="alert">
          {error}
        </p>
      )}
      {suggestions.length > 0 && (
        <>
          <h3>{trans.__('Suggestions')}</h3>
          <ul className="jp-Dataprep-list" aria-label={trans.__('Suggestions')}>
            {suggestions.map(({ directive, reason }) => (
              <li key={directive}>
                <button type="button" className="jp-Colophon-button" onClick={() => append([directive])}>
                  <code>{directive}</code>
                </button>
                <span className="jp-Colophon-note">{reason}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>{trans.__('Directives')}</h3>
      <div className="jp-Colophon-actions" role="group" aria-label={trans.__('Directives')}>
        {listColumnDirectives(column).map(({ name, line }) => (
          <button key={name} type="button" className="jp-Colophon-button" title={line} onClick={() => append([line])}>
            {describeDirective(name, trans)}
          </button>
        ))}
      </div>
      <ByExample model={model} column={column} apply={append} trans={trans} />
      <button type="button" className="jp-Colophon-button" onClick={close}>
        {trans.__('Close')}
      </button>
    </section>
  );
}
