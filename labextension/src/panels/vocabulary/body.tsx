import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { Tabs } from '../../components/tabs';
import { useModel } from '../../components/use-model';
import { Entries } from './entries';
import type { IVocabularyActions } from './index';
import { KeyTables } from './keys';
import type { VocabularyModel, VocabularyTab } from './model';
import { VOCABULARY_TABS } from './model';

/** What the parts of the page share. */
export interface IVocabularyProps {
  model: VocabularyModel;
  actions: IVocabularyActions;
  trans: TranslationBundle;
}

/** Returns the title of a tab. */
function getTabTitle(tab: VocabularyTab, trans: TranslationBundle): string {
  switch (tab) {
    case 'keys':
      return trans.__('Keys and tags');
    case 'term':
      return trans.__('Glossary terms');
    case 'domain':
      return trans.__('Domains');
    case 'owner':
      return trans.__('Owners');
  }
}

/** The text by which the list is filtered. */
function Filter({ model, trans }: IVocabularyProps): React.JSX.Element {
  const { tab, text } = useModel(model);
  return (
    <input
      type="search"
      className="jp-mod-styled"
      aria-label={trans.__('Filter %1', getTabTitle(tab, trans))}
      placeholder={tab === 'keys' ? trans.__('First letters') : trans.__('Name or description')}
      spellCheck={false}
      value={text}
      onChange={event => model.setText(event.target.value)}
    />
  );
}

/** The body of the page. */
export function VocabularyBody(props: IVocabularyProps): React.JSX.Element {
  const { model, trans } = props;
  const { tab, busy, problem } = useModel(model);
  const tabs = VOCABULARY_TABS.map(id => ({ id, label: getTabTitle(id, trans) }));
  return (
    <div className="jp-Colophon-page" aria-busy={busy}>
      <Tabs
        id="jp-colophon-vocabulary"
        label={trans.__('Vocabulary')}
        tabs={tabs}
        selected={tab}
        select={id => model.selectTab(id as VocabularyTab)}
      >
        <Filter {...props} />
        {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
        {tab === 'keys' ? <KeyTables {...props} /> : <Entries {...props} key={tab} kind={tab} />}
      </Tabs>
    </div>
  );
}
