import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { RecoveryFiles } from '../../generated/api';
import { mayDrop } from '../../components/may-drop';
import { Name } from '../../components/name';
import { useModel } from '../../components/use-model';
import type { InstancesModel } from './instances';

type Leftover = RecoveryFiles['recoveryFiles'][number];

interface ILeftoversProps {
  model: InstancesModel;
  trans: TranslationBundle;
}

function state(one: Leftover, trans: TranslationBundle): string {
  if (one.problem !== '') {
    return trans.__('it cannot be read: %1', one.problem);
  }
  return one.missing ? trans.__('the instance is missing or broken') : trans.__('the instance is there');
}

interface IChoiceProps {
  word: string;
  /** All of it, for who does not see the row. */
  about: string;
  /** Whether it was done: then the row is gone. */
  act: () => Promise<boolean>;
}

/** The row goes with its keyboard: that goes to the line above, or to the filter where nothing is left. */
function Choice({ word, about, act }: IChoiceProps): React.JSX.Element {
  const chosen = async (button: HTMLElement): Promise<void> => {
    const section = button.closest('.jp-Colophon-spaceBody');
    if (await act()) {
      const next = section?.querySelector<HTMLElement>('.jp-Colophon-leftovers summary');
      (next ?? section?.querySelector<HTMLElement>('input'))?.focus();
    }
  };
  return (
    <button
      type="button"
      className="jp-Colophon-link"
      aria-label={about}
      onClick={event => void chosen(event.currentTarget)}
    >
      {word}
    </button>
  );
}

function Row({ one, model, trans }: ILeftoversProps & { one: Leftover }): React.JSX.Element {
  const time = new Date(one.time).toLocaleString();
  const away = trans.__('Throw away');
  const mayGo = (): Promise<boolean> => {
    const body = trans.__('“%1” as it was on %2 cannot be brought back then.', one.name, time);
    return mayDrop(trans.__('Throw this copy away?'), body, away, trans, trans.__('Keep it'));
  };
  return (
    <li>
      <b>
        <Name text={one.name} />
      </b>{' '}
      {trans.__('as it was on %1', time)}: {state(one, trans)}
      <div className="jp-Colophon-remedies">
        {one.missing && one.problem === '' && (
          <Choice
            word={trans.__('Bring back')}
            about={trans.__('Bring back %1 as it was on %2', one.name, time)}
            act={() => model.recover(one.file)}
          />
        )}
        <Choice
          word={away}
          about={trans.__('Throw away %1 as it was on %2', one.name, time)}
          act={async () => (await mayGo()) && model.discard(one.file)}
        />
      </div>
    </li>
  );
}

/** What saves that were cut short left behind: each can be brought back, or thrown away. */
export function LeftoversNote({ model, trans }: ILeftoversProps): React.JSX.Element | null {
  const { leftovers } = useModel(model);
  if (leftovers.length === 0) {
    return null;
  }
  return (
    <details className="jp-Colophon-unloaded jp-Colophon-leftovers">
      <summary>
        {trans._n('A save was cut short and left %1 copy', 'Saves were cut short and left %1 copies', leftovers.length)}
      </summary>
      <ul>
        {leftovers.map(one => (
          <Row key={one.file} one={one} model={model} trans={trans} />
        ))}
      </ul>
    </details>
  );
}
