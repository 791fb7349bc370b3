import React from 'react';
import { getTypeLabel } from '../../components/labels';
import { useModel } from '../../components/use-model';
import { getTypeIcon } from '../../icons';
import type { IPageProps } from './page';

/** Programs of an application before the rest is only counted. */
const MAX_PROGRAMS = 20;

interface IItemProps {
  type: string;
  text: string;
  detail: string;
  title?: string;
  open: () => void;
}

function Item({ type, text, detail, title, open }: IItemProps): React.JSX.Element {
  const Icon = getTypeIcon(type);
  return (
    <li className="jp-Colophon-content">
      <Icon.react tag="span" width="16px" />
      <button type="button" className="jp-Colophon-link" title={title} onClick={open}>
        {text}
      </button>
      <span className="jp-Colophon-note">{detail}</span>
    </li>
  );
}

/** What a namespace contains, by type, or the programs of an application. */
export function ContentsSection({ page }: IPageProps): React.JSX.Element | null {
  const { model, actions, trans } = page;
  const { contents, entity } = useModel(model);
  if (contents === null || entity === null) {
    return null;
  }
  const isNamespace = contents.kind === 'namespace';
  const title = isNamespace ? trans.__('Contents') : trans.__('Programs');
  const items = isNamespace
    ? contents.types.map(({ type, count }) => ({
        id: type,
        type,
        text: getTypeLabel(type, trans),
        detail: count.toLocaleString(),
        open: () => actions.search({ query: '*', filters: { namespace: entity.name, type } })
      }))
    : contents.programs.slice(0, MAX_PROGRAMS).map(({ urn, type, name }) => ({
        id: urn,
        type,
        text: name,
        detail: '',
        title: urn,
        open: () => actions.openEntity(urn)
      }));
  const more = isNamespace ? 0 : contents.programs.length - items.length;
  return (
    <section className="jp-Colophon-card-section" aria-label={title}>
      <h2>{title}</h2>
      {items.length === 0 && <p className="jp-Colophon-note">{trans.__('Nothing yet.')}</p>}
      <ul aria-label={title}>
        {items.map(({ id, ...item }) => (
          <Item key={id} {...item} />
        ))}
      </ul>
      {more > 0 && <p className="jp-Colophon-note">{trans.__('and %1 more', more)}</p>}
      {contents.kind === 'application' && contents.isPartial && (
        <p className="jp-Colophon-note">{trans.__('The namespace has further programs that are not listed here.')}</p>
      )}
    </section>
  );
}
