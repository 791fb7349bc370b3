import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Leftovers } from '../../generated/api';
import { useModel } from '../pieces/use-model';
import type { InstancesModel } from './instances';

type Leftover = Leftovers['leftovers'][number];

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

function Row({ one, model, trans }: ILeftoversProps & { one: Leftover }): React.JSX.Element {
  const time = new Date(one.time).toLocaleString();
  return (
    <li>
      <b>{one.name}</b> {trans.__('as it was on %1', time)}: {state(one, trans)}{' '}
      {one.missing && one.problem === '' && (
        <button
          type="button"
          className="jp-Colophon-link"
          aria-label={trans.__('Bring back %1 as it was on %2', one.name, time)}
          onClick={() => void model.recover(one.file)}
        >
          {trans.__('Bring back')}
        </button>
      )}{' '}
      <button
        type="button"
        className="jp-Colophon-link"
        aria-label={trans.__('Throw away %1 as it was on %2', one.name, time)}
        onClick={() => void model.discard(one.file)}
      >
        {trans.__('Throw away')}
      </button>
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
    <details className="jp-Colophon-unloaded">
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
