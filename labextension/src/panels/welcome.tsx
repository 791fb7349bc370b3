import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { BreakableName } from '../components/breakable-name';
import { getLastPart } from '../components/labels';
import { ProblemNote } from '../components/problem';
import { useModel } from '../components/use-model';
import { shortenUrn } from '../model/urns';
import type { WelcomeModel } from '../model/welcome';

interface IWelcomeProps {
  model: WelcomeModel;
  search: (query: string) => void;
  openLineage: (urn: string) => void;
  /** Removes the welcome, and does not show it again. */
  finish: () => void;
  trans: TranslationBundle;
}

function Step(props: {
  done: boolean;
  title: string;
  trans: TranslationBundle;
  children: React.ReactNode;
}): React.JSX.Element {
  const { done, title, trans, children } = props;
  return (
    <li className="jp-Colophon-welcomeStep" data-done={done}>
      <strong>
        <BreakableName text={title} />
        {done && <span className="jp-Colophon-quiet"> ✓ {trans.__('done')}</span>}
      </strong>
      {children}
    </li>
  );
}

/** A form with one field that adds a tag to the table. */
function TagForm({ model, trans }: Pick<IWelcomeProps, 'model' | 'trans'>): React.JSX.Element {
  const [tag, setTag] = React.useState('');
  return (
    <form
      className="jp-Colophon-welcomeForm"
      onSubmit={event => {
        event.preventDefault();
        void model.addTag(tag);
      }}
    >
      <input
        className="jp-mod-styled"
        aria-label={trans.__('Tag')}
        placeholder={trans.__('such as raw')}
        value={tag}
        onChange={event => setTag(event.target.value)}
      />
      <button type="submit" className="jp-Colophon-button" disabled={tag.trim() === ''}>
        {trans.__('Add tag')}
      </button>
    </form>
  );
}

/** What to do before there is a table. */
function Start({ trans }: Pick<IWelcomeProps, 'trans'>): React.JSX.Element {
  return (
    <p className="jp-Colophon-note">
      {trans.__(
        'Write a file or a table in a notebook, such as %1. It appears here, and three steps show what its metadata is for.',
        'orders.to_parquet("orders.parquet")'
      )}
    </p>
  );
}

function Steps(props: IWelcomeProps & { table: string }): React.JSX.Element {
  const { model, table, search, openLineage, trans } = props;
  const { tag, isFound, isTraced } = useModel(model);
  const name = getLastPart(shortenUrn(table));
  return (
    <ol className="jp-Colophon-welcome">
      <Step done={tag !== ''} title={trans.__('Tag %1', name)} trans={trans}>
        {tag === '' && <TagForm model={model} trans={trans} />}
      </Step>
      <Step done={isFound} title={trans.__('Find it by its tag')} trans={trans}>
        <button
          type="button"
          className="jp-Colophon-button"
          disabled={tag === ''}
          onClick={() => {
            model.markFound();
            search(`tags:${tag}`);
          }}
        >
          {tag === '' ? trans.__('Search') : trans.__('Search tags:%1', tag)}
        </button>
      </Step>
      <Step done={isTraced} title={trans.__('Trace which cell wrote it, and from what')} trans={trans}>
        <button
          type="button"
          className="jp-Colophon-button"
          onClick={() => {
            model.markTraced();
            openLineage(table);
          }}
        >
          {trans.__('Open lineage')}
        </button>
      </Step>
    </ol>
  );
}

/** The welcome at the first start: three steps with the user's own first table. */
export function Welcome(props: IWelcomeProps): React.JSX.Element {
  const { model, finish, trans } = props;
  const { table, problem } = useModel(model);
  React.useEffect(() => {
    model.show();
    return () => model.hide();
  }, [model]);
  return (
    <div className="jp-Colophon-welcomeBox">
      {table === null ? <Start trans={trans} /> : <Steps {...props} table={table} />}
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
      <button type="button" className="jp-Colophon-link" onClick={finish}>
        {model.isDone ? trans.__('All steps are done: close the welcome') : trans.__('Do not show this again')}
      </button>
    </div>
  );
}
