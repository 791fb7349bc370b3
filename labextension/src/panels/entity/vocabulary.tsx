import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { mergeDescriptors } from '../../model/descriptors';
import type { IDescribedValue } from '../../model/descriptors';
import { ScrollableTable } from '../../components/scrollable-table';
import { useModel } from '../../components/use-model';
import { hasOwnCard } from './aspects';
import type { IDescriptorContext } from './descriptors';
import { DescriptorName, getKindLabel } from './descriptors';
import type { IEntityActions } from './index';
import type { EntityModel } from './model';

/** Number of values added at once. */
const PAGE = 100;

function Row({ value, context }: { value: IDescribedValue; context: IDescriptorContext }): React.JSX.Element {
  const { kind, key, detail, sources } = value;
  return (
    <tr data-kind={kind}>
      <th scope="row">{kind === 'property' ? key : getKindLabel(kind, context.trans)}</th>
      <td className="jp-Colophon-text-cell">
        <DescriptorName value={value} context={context} />
        {detail !== '' && <span className="jp-Colophon-note"> {detail}</span>}
      </td>
      <td>
        {sources.map(({ aspect, scope }) => (
          <div key={`${aspect} ${scope}`} title={aspect}>
            {context.getTitle(aspect)} <span className="jp-Colophon-scope">{scope}</span>
          </div>
        ))}
      </td>
    </tr>
  );
}

/** The descriptors of an entity from aspects without a card of their own, each with its sources. */
export function Vocabulary(props: {
  model: EntityModel;
  actions: IEntityActions;
  getTitle: (aspect: string) => string;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { model, actions, getTitle, trans } = props;
  const { entity, type } = useModel(model);
  const [limit, setLimit] = React.useState(PAGE);
  const values = React.useMemo(() => {
    const cards = new Set(type?.aspects.filter(hasOwnCard).map(({ name }) => name));
    const listed = entity?.descriptors.filter(({ column, aspect }) => column === null && !cards.has(aspect));
    return mergeDescriptors(listed ?? []);
  }, [entity, type]);
  const context = React.useMemo(
    () => ({ getTitle, trans, open: (urn: string) => actions.openEntity(urn) }),
    [getTitle, trans, actions]
  );
  if (values.length === 0) {
    return null;
  }
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Described by')}>
      <h2>{trans.__('Described by')}</h2>
      <ScrollableTable label={trans.__('Values and their sources')}>
        <thead>
          <tr>
            <th scope="col">{trans.__('Type')}</th>
            <th scope="col">{trans.__('Value')}</th>
            <th scope="col">{trans.__('Source')}</th>
          </tr>
        </thead>
        <tbody>
          {values.slice(0, limit).map(value => (
            <Row key={`${value.kind} ${value.key} ${value.name}`} value={value} context={context} />
          ))}
        </tbody>
      </ScrollableTable>
      {values.length > limit && (
        <button type="button" className="jp-Colophon-button" onClick={() => setLimit(limit + PAGE)}>
          {trans.__('More')}
        </button>
      )}
    </section>
  );
}
