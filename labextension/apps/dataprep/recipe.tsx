import React from 'react';
import { usePanelModel } from '../use-panel-model';
import { findPlace, getOffset } from './recipe-error';
import type { IWorkspaceProps } from './workspace';

/** The recipe as a text; an error moves the caret to its place. */
function RecipeText({ model, close, trans }: IWorkspaceProps & { close(): void }): React.JSX.Element {
  const { workspace } = usePanelModel(model);
  const [text, setText] = React.useState(() => workspace?.directives.join('\n') ?? '');
  const [error, setError] = React.useState('');
  const box = React.useRef<HTMLTextAreaElement>(null);
  const submit = async (event: React.FormEvent): Promise<void> => {
    event.preventDefault();
    // The server removes empty lines, and counts the lines that remain.
    const lines = text.split('\n').filter(line => line.trim() !== '');
    setText(lines.join('\n'));
    const refusal = await model.replace(lines);
    setError(refusal);
    if (refusal === '') {
      close();
      return;
    }
    const place = findPlace(refusal);
    box.current?.focus();
    if (place !== null) {
      const start = getOffset(lines.join('\n'), place);
      box.current?.setSelectionRange(start, getOffset(lines.join('\n'), { line: place.line + 1, column: 0 }));
    }
  };
  return (
    <form onSubmit={event => void submit(event)}>
      <textarea
        ref={box}
        aria-label={trans.__('Recipe as text')}
        aria-invalid={error !== ''}
        aria-describedby="dataprep-recipe-error"
        rows={10}
        spellCheck={false}
        autoFocus
        value={text}
        onChange={event => setText(event.target.value)}
      />
      <p id="dataprep-recipe-error" role="alert" className={error === '' ? '' : 'jp-Colophon-error'}>
        {error}
      </p>
      <div className="jp-Colophon-actions">
        <button className="jp-Colophon-button jp-mod-primary">{trans.__('Apply')}</button>
        <button type="button" className="jp-Colophon-button" onClick={close}>
          {trans.__('Cancel')}
        </button>
      </div>
    </form>
  );
}

/** The steps of the recipe, each of which can be removed. */
function Steps(props: IWorkspaceProps & { returnFocus: () => void }): React.JSX.Element {
  const { model, trans, returnFocus } = props;
  const { workspace, busy } = usePanelModel(model);
  const [error, setError] = React.useState('');
  const remove = async (at: number): Promise<void> => {
    if (busy) {
      return;
    }
    const refusal = await model.removeLine(at);
    setError(refusal);
    if (refusal === '') {
      returnFocus();
    }
  };
  const directives = workspace?.directives ?? [];
  return (
    <>
      {directives.length === 0 && <p className="jp-Colophon-note">{trans.__('The recipe is empty.')}</p>}
      <ol className="jp-Dataprep-list jp-Dataprep-steps" aria-label={trans.__('Steps')}>
        {directives.map((line, at) => (
          <li key={at} aria-label={line}>
            <code>{line}</code>
            <button
              type="button"
              className="jp-Colophon-button"
              aria-label={trans.__('Remove the directive %1', line)}
              onClick={() => void remove(at)}
            >
              {trans.__('Remove')}
            </button>
          </li>
        ))}
      </ol>
      {error !== '' && (
        <p className="jp-Colophon-error" role="alert">
          {error}
        </p>
      )}
    </>
  );
}

/** The recipe of a workspace: its steps or its text, with undo and redo. */
export function Recipe({ model, trans }: IWorkspaceProps): React.JSX.Element {
  const { workspace, busy } = usePanelModel(model);
  const [isText, setIsText] = React.useState(false);
  const title = React.useRef<HTMLHeadingElement>(null);
  const returnFocus = (): void => title.current?.focus();
  const move = (step: 'undo' | 'redo'): void => {
    if (!busy) {
      void model.move(step).then(() => document.activeElement === document.body && returnFocus());
    }
  };
  return (
    <section className="jp-Colophon-card-section" aria-labelledby="dataprep-recipe">
      <h2 id="dataprep-recipe" ref={title} tabIndex={-1}>
        {trans.__('Recipe')}
      </h2>
      {isText ? (
        <RecipeText
          model={model}
          close={() => {
            setIsText(false);
            returnFocus();
          }}
          trans={trans}
        />
      ) : (
        <>
          <Steps model={model} returnFocus={returnFocus} trans={trans} />
          <div className="jp-Colophon-actions">
            <button
              type="button"
              className="jp-Colophon-button"
              disabled={!workspace?.canUndo}
              onClick={() => move('undo')}
            >
              {trans.__('Undo')}
            </button>
            <button
              type="button"
              className="jp-Colophon-button"
              disabled={!workspace?.canRedo}
              onClick={() => move('redo')}
            >
              {trans.__('Redo')}
            </button>
            <button type="button" className="jp-Colophon-button" onClick={() => setIsText(true)}>
              {trans.__('Edit as text')}
            </button>
          </div>
        </>
      )}
    </section>
  );
}
