import React from 'react';
import { Markdown } from '../../../components/markdown';
import { useModel } from '../../../components/use-model';
import { usePulse } from '../../../components/use-pulse';
import type { Entity } from '../../../generated/api';
import { EditableText, useFieldEditor } from './editable-text';
import type { IPageProps } from '../page';
import { findDescriptionField, getFieldText, listDescriptions } from './user-metadata';

/** The description by users, edited in place, and descriptions from other sources below it. */
export function Description({ page, entity }: IPageProps & { entity: Entity }): React.JSX.Element | null {
  const { model, services, getTitle, trans } = page;
  const { type, mayEdit } = useModel(model);
  const field = type && findDescriptionField(entity, type);
  const editor = useFieldEditor(model, field);
  const text = field ? getFieldText(entity.aspects[field.spec.name]?.value, field.pointer) : '';
  const others = listDescriptions(entity).filter(({ name }) => name !== text);
  const pulse = usePulse<HTMLElement>(text);
  const render = (source: string): React.ReactNode => <Markdown text={source} rendermime={services.rendermime} />;
  return (
    <section className="jp-Colophon-description" aria-label={trans.__('Description')} ref={pulse}>
      {field && (
        <EditableText
          page={page}
          editor={editor}
          pointer={field.pointer}
          open={() => model.editField(field)}
          label={trans.__('Description')}
          text={text}
          prompt={trans.__('Add a description')}
          canEdit={mayEdit}
          multiline
          render={render}
          preview={render}
        />
      )}
      {others.map(({ name, aspect }) => (
        <figure key={`${aspect} ${name}`} className="jp-Colophon-otherDescription">
          <figcaption className="jp-Colophon-note">{trans.__('From %1', getTitle(aspect))}</figcaption>
          {render(name)}
        </figure>
      ))}
      {text === '' && others.length === 0 && !mayEdit && (
        <p className="jp-Colophon-note">{trans.__('No description.')}</p>
      )}
    </section>
  );
}
