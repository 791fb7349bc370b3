import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { useModel } from '../../components/use-model';
import { VersionList } from '../../components/versions';
import type { EntityModel } from './model';

interface IHistoryProps {
  model: EntityModel;
  getTitle: (aspect: string) => string;
  trans: TranslationBundle;
}

/** The history of an aspect: author, time and changes of each version. */
export function History({ model, getTitle, trans }: IHistoryProps): React.JSX.Element {
  const { entity, history } = useModel(model);
  const aspects = Object.keys(entity?.aspects ?? {}).filter(name => !name.endsWith('Key'));
  if (!history) {
    return <p className="jp-Colophon-note">{trans.__('No changes yet.')}</p>;
  }
  return (
    <>
      <label className="jp-Colophon-choice">
        {trans.__('Aspect')}
        <select value={history.aspect} onChange={event => void model.chooseHistory(event.target.value)}>
          {[...new Set([...aspects, history.aspect])].map(name => (
            <option key={name} value={name}>
              {getTitle(name)}
            </option>
          ))}
        </select>
      </label>
      {history.problem && <ProblemNote problem={history.problem} trans={trans} />}
      <VersionList
        versions={history.versions}
        loadMore={history.cursor === null ? null : () => void model.loadMoreHistory()}
        trans={trans}
      />
    </>
  );
}
