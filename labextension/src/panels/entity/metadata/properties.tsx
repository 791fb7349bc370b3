import { addIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { ShortForm } from '../../../components/short-form';
import { useModel } from '../../../components/use-model';
import { usePulse } from '../../../components/use-pulse';
import type { Entity } from '../../../generated/api';
import type { AspectSpec } from '../../../model/editing/editor';
import { setValueAt } from '../../../model/schemas/pointer';
import { EditableText, useFieldEditor } from './editable-text';
import type { IPage, IPageProps } from '../page';
import { startChange } from '../page';
import {
  completeUserMetadata,
  createPropertyField,
  listUserProperties,
  setFieldText,
  SPECIAL_PROPERTIES,
  USER_ASPECT
} from './user-metadata';

function Property(props: { page: IPage; spec: AspectSpec; name: string; text: string }): React.JSX.Element {
  const { page, spec, name, text } = props;
  const { model, trans } = page;
  const { mayEdit } = useModel(model);
  const field = createPropertyField(spec, name);
  const editor = useFieldEditor(model, field);
  const { pointer } = field;
  const pulse = usePulse<HTMLDivElement>(text);
  const remove = (): void =>
    void startChange(page, () => model.change(spec, value => setValueAt(value, pointer, undefined)));
  return (
    <div data-property={name} ref={pulse}>
      <dt>{name}</dt>
      <dd>
        <EditableText
          page={page}
          editor={editor}
          pointer={pointer}
          open={() => model.editField(field)}
          label={name}
          text={text}
          prompt={trans.__('Add a value')}
          canEdit={mayEdit}
        />
        {mayEdit && editor === null && (
          <button
            type="button"
            className="jp-Colophon-tool jp-Colophon-remove"
            title={trans.__('Remove %1', name)}
            aria-label={trans.__('Remove %1', name)}
            onClick={remove}
          >
            ×
          </button>
        )}
      </dd>
    </div>
  );
}

/** The inputs for a new property. Enter saves, Escape cancels. */
function NewProperty(props: { page: IPage; spec: AspectSpec; close: () => void }): React.JSX.Element {
  const { page, spec, close } = props;
  const { model, trans } = page;
  const [key, setKey] = React.useState('');
  const [text, setText] = React.useState('');
  const save = (): void => {
    const { pointer } = createPropertyField(spec, key.trim());
    void startChange(page, () =>
      model.change(spec, value => setFieldText(completeUserMetadata(value), pointer, text.trim()))
    );
    close();
  };
  return (
    <ShortForm
      className="jp-Colophon-inlineForm jp-Colophon-newProperty"
      label={trans.__('Add a property')}
      submit={save}
      close={close}
    >
      <input
        type="text"
        autoFocus
        aria-label={trans.__('Key')}
        placeholder={trans.__('Key')}
        value={key}
        onChange={event => setKey(event.target.value)}
      />
      <input
        type="text"
        aria-label={trans.__('Value')}
        placeholder={trans.__('Value')}
        value={text}
        onChange={event => setText(event.target.value)}
      />
      <button
        type="submit"
        className="jp-Colophon-button jp-mod-primary"
        disabled={key.trim() === '' || text.trim() === ''}
      >
        {trans.__('Save')}
      </button>
      <button type="button" className="jp-Colophon-button" onClick={close}>
        {trans.__('Cancel')}
      </button>
    </ShortForm>
  );
}

/** The properties of users, edited in place. */
export function Properties({ page, entity }: IPageProps & { entity: Entity }): React.JSX.Element | null {
  const { model, trans } = page;
  const { type, mayEdit } = useModel(model);
  const [isAdding, setIsAdding] = React.useState(false);
  const spec = type?.aspects.find(({ name }) => name === USER_ASPECT);
  const properties = listUserProperties(entity.aspects[USER_ASPECT]).filter(([key]) => !SPECIAL_PROPERTIES.has(key));
  if (!spec || (properties.length === 0 && !mayEdit)) {
    return null;
  }
  return (
    <section className="jp-Colophon-card-section" aria-label={trans.__('Properties')}>
      <h2>{trans.__('Properties')}</h2>
      <dl className="jp-Colophon-keyFacts">
        {properties.map(([key, text]) => (
          <Property key={key} page={page} spec={spec} name={key} text={text} />
        ))}
      </dl>
      {isAdding ? (
        <NewProperty page={page} spec={spec} close={() => setIsAdding(false)} />
      ) : (
        mayEdit && (
          <button type="button" className="jp-Colophon-prompt" onClick={() => setIsAdding(true)}>
            <addIcon.react tag="span" width="14px" />
            {trans.__('Add a property')}
          </button>
        )
      )}
    </section>
  );
}
