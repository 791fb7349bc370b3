import React from 'react';
import { usePanelModel } from '../use-panel-model';
import { removePlace } from './recipe-error';
import type { IWorkspaceProps } from './workspace';

/** Adds a directive to the recipe, with completion of its name and its documentation. */
export function DirectiveLine({ model, trans }: IWorkspaceProps): React.JSX.Element {
  const { directives } = usePanelModel(model);
  const [line, setLine] = React.useState('');
  const [error, setError] = React.useState('');
  const name = line.trimStart().split(/\s/)[0];
  const directive = directives.find(each => each.name === name);
  const submit = async (event: React.FormEvent): Promise<void> => {
    event.preventDefault();
    const refusal = await model.append([line]);
    setError(removePlace(refusal));
    if (refusal === '' && model.state.failure === null) {
      // The next directive may have been typed in the meantime.
      setLine(current => (current === line ? '' : current));
    }
  };
  return (
    <form className="jp-Dataprep-line" onSubmit={event => void submit(event)}>
      <div className="jp-Colophon-actions">
        <input
          aria-label={trans.__('Directive')}
          aria-describedby="dataprep-directive"
          aria-invalid={error !== ''}
          list="dataprep-directives"
          autoComplete="off"
          spellCheck={false}
          required
          placeholder={trans.__('A directive, such as trim :name')}
          value={line}
          onChange={event => {
            setLine(event.target.value);
            setError('');
          }}
        />
        <datalist id="dataprep-directives">
          {directives.map(each => (
            <option key={each.name} value={each.name}>
              {each.description}
            </option>
          ))}
        </datalist>
        <button className="jp-Colophon-button jp-mod-primary">{trans.__('Add')}</button>
      </div>
      <p id="dataprep-directive" className="jp-Colophon-note">
        {directive && (
          <>
            <code>{directive.usage}</code> {directive.description}
          </>
        )}
      </p>
      {error !== '' && (
        <p className="jp-Colophon-error" role="alert">
          {error}
        </p>
      )}
    </form>
  );
}
