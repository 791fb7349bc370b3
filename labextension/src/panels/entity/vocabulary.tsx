import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Descriptor } from '../../generated/api';
import { LongText } from '../pieces/long-text';
import { TableRoom } from '../pieces/table-room';
import { useModel } from '../pieces/use-model';
import type { IEntityActions } from './index';
import type { EntityModel } from './model';

/** How many values are drawn at once. */
const PAGE = 100;

function kindWord(kind: Descriptor['kind'], trans: TranslationBundle): string {
  return {
    tag: trans.__('Tag'),
    term: trans.__('Glossary term'),
    owner: trans.__('Owner'),
    domain: trans.__('Domain'),
    description: trans.__('Description'),
    property: trans.__('Property'),
    link: trans.__('Link'),
    name: trans.__('Name')
  }[kind];
}

interface IRowProps {
  descriptor: Descriptor;
  title: (aspect: string) => string;
  open: (urn: string) => void;
  trans: TranslationBundle;
}

function Row({ descriptor, title, open, trans }: IRowProps): React.JSX.Element {
  const { kind, key, name, urn, detail, aspect, scope } = descriptor;
  return (
    <tr data-kind={kind}>
      <th scope="row">{kind === 'property' ? key : kindWord(kind, trans)}</th>
      <td className="jp-Colophon-told">
        {urn === null ? (
          <LongText text={name} trans={trans} />
        ) : (
          <button type="button" className="jp-Colophon-link" title={urn} onClick={() => open(urn)}>
            {name}
          </button>
        )}
        {detail !== '' && <span className="jp-Colophon-note"> {detail}</span>}
      </td>
      <td title={aspect}>
        {title(aspect)} <span className="jp-Colophon-scope">{scope}</span>
      </td>
    </tr>
  );
}

/** Everything that describes an entity, whatever API wrote it, each value with its source. */
export function Vocabulary(props: {
  model: EntityModel;
  actions: IEntityActions;
  title: (aspect: string) => string;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { model, actions, title, trans } = props;
  const { entity } = useModel(model);
  const [most, setMost] = React.useState(PAGE);
  const found = (entity?.descriptors ?? []).filter(({ column }) => column === null);
  if (found.length === 0) {
    return null;
  }
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Described by')}>
      <h2>{trans.__('Described by')}</h2>
      <TableRoom label={trans.__('Values and their sources')}>
        <thead>
          <tr>
            <th scope="col">{trans.__('What')}</th>
            <th scope="col">{trans.__('Value')}</th>
            <th scope="col">{trans.__('Source')}</th>
          </tr>
        </thead>
        <tbody>
          {found.slice(0, most).map((descriptor, index) => (
            <Row
              key={index}
              descriptor={descriptor}
              title={title}
              open={urn => actions.openEntity(urn)}
              trans={trans}
            />
          ))}
        </tbody>
      </TableRoom>
      {found.length > most && (
        <button type="button" className="jp-Colophon-button" onClick={() => setMost(most + PAGE)}>
          {trans.__('More')}
        </button>
      )}
    </section>
  );
}
