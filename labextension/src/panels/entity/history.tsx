import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { useModel } from '../../components/use-model';
import { VersionList } from '../../components/versions';
import type { EntityModel } from './model';

interface IHistoryProps {
  model: EntityModel;
  title: (aspect: string) => string;
  trans: TranslationBundle;
}

/** Who changed an aspect, when, and what. */
export function History({ model, title, trans }: IHistoryProps): React.JSX.Element {
  const { entity, history } = useModel(model);
  const aspects = Object.keys(entity?.aspects ?? {}).filter(name => !name.endsWith('Key'));
  if (!history) {
    return <p className="jp-Colophon-note">{trans.__('Nothing was changed yet.')}</p>;
  }
  return (
    <>
      <label className="jp-Colophon-choice">
        {trans.__('Of')}
        <select value={history.aspect} onChange={event => void model.chooseHistory(event.target.value)}>
          {[...new Set([...aspects, history.aspect])].map(name => (
            <option key={name} value={name}>
              {title(name)}
            </option>
          ))}
        </select>
      </label>
      {history.problem && <ProblemNote problem={history.problem} trans={trans} />}
      <VersionList
        versions={history.versions}
        more={history.cursor === null ? null : () => void model.moreHistory()}
        trans={trans}
      />
    </>
  );
}
