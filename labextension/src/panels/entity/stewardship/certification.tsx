import { checkIcon, closeIcon } from '@jupyterlab/ui-components';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import React from 'react';
import { ShortForm } from '../../../components/short-form';
import type { IMenuItem } from '../../../components/menu';
import { useModel } from '../../../components/use-model';
import type { Entity, MyTeams } from '../../../generated/api';
import type { AspectSpec } from '../../../model/editing/editor';
import {
  CERTIFICATION_ASPECT,
  findCertification,
  formatDay,
  isExpired,
  suggestLastDay
} from '../../../model/stewardship/certification';
import type { IPageProps } from '../page';
import { startChange } from '../page';

/** Types that are not data. */
const NOT_CERTIFIED = new Set(['instance', 'namespace', 'request', 'corpuser', 'corpGroup', 'tag']);

/** Returns the aspect that certifies the entity of the page; undefined if the user may not. */
function useCertificationSpec({ page }: IPageProps): AspectSpec | undefined {
  const { type, mayEdit } = useModel(page.model);
  return mayEdit && type !== null && !NOT_CERTIFIED.has(type.type)
    ? type.aspects.find(({ name }) => name === CERTIFICATION_ASPECT)
    : undefined;
}

/** Returns the items of the menu that certify the entity, and withdraw its certification. */
export function useCertificationItems({ page }: IPageProps, entity: Entity, certify: () => void): IMenuItem[] {
  const { model, trans } = page;
  if (useCertificationSpec({ page }) === undefined) {
    return [];
  }
  const withdraw = (): void => void model.deleteAspect(CERTIFICATION_ASPECT);
  return [
    { label: trans.__('Certify…'), icon: checkIcon, run: certify },
    ...(entity.aspects[CERTIFICATION_ASPECT] === undefined
      ? []
      : [{ label: trans.__('Withdraw certification'), icon: closeIcon, run: withdraw }])
  ];
}

/** The certification of the entity, and the form that changes it. */
export function Certification(
  props: IPageProps & { entity: Entity; isEditing: boolean; close: () => void }
): React.JSX.Element {
  const { page, entity, isEditing, close } = props;
  const spec = useCertificationSpec({ page });
  return (
    <>
      <CertificationBadge page={page} entity={entity} />
      {isEditing && spec !== undefined && <CertificationForm page={page} entity={entity} spec={spec} close={close} />}
    </>
  );
}

/** Who certified the entity, until when, and the note; nothing for others. */
function CertificationBadge({ page, entity }: IPageProps & { entity: Entity }): React.JSX.Element | null {
  const { actions, trans } = page;
  const certification = findCertification(entity.descriptors);
  if (certification === null) {
    return null;
  }
  const { by, urn, until, note } = certification;
  const isOver = isExpired(until, Date.now());
  return (
    <p role="note" className="jp-Colophon-certification" data-expired={isOver}>
      {!isOver && <checkIcon.react tag="span" width="16px" />}
      <span>
        <b>{isOver ? trans.__('Certification expired') : trans.__('Certified')}</b> {trans.__('by')}{' '}
        <button
          type="button"
          className="jp-Colophon-link"
          disabled={urn === null}
          onClick={() => urn !== null && actions.openEntity(urn)}
        >
          {by}
        </button>
        {until !== null && (
          <> {isOver ? trans.__('on %1', formatDay(until)) : trans.__('until %1', formatDay(until))}</>
        )}
        {note !== '' && <span className="jp-Colophon-note"> {note}</span>}
      </span>
    </p>
  );
}

/** The form that certifies the entity. */
function CertificationForm(
  props: IPageProps & { entity: Entity; spec: AspectSpec; close: () => void }
): React.JSX.Element {
  const { page, entity, spec, close } = props;
  const { model, trans } = page;
  const known = findCertification(entity.descriptors);
  const [me, setMe] = React.useState<MyTeams | null>(null);
  const [by, setBy] = React.useState<string | null>(null);
  const [until, setUntil] = React.useState(() => suggestLastDay(Date.now()));
  const [note, setNote] = React.useState(known?.note ?? '');
  React.useEffect(() => {
    void model.readMyTeams().then(setMe);
  }, [model]);
  const people = me === null ? [] : [{ owner: me.user, name: trans.__('Me') }, ...me.teams];
  const save = (): void => {
    const certifiedBy = by ?? me?.user;
    if (certifiedBy !== undefined) {
      const text = note.trim();
      const value: ReadonlyJSONObject = {
        certifiedBy,
        ...(until === '' ? {} : { until }),
        ...(text === '' ? {} : { note: text })
      };
      void startChange(page, () => model.change(spec, () => value)).then(close);
    }
  };
  return (
    <ShortForm
      className="jp-Colophon-inlineForm jp-Colophon-certificationForm"
      label={trans.__('Certify')}
      submit={save}
      close={close}
    >
      <label>
        {trans.__('Certified by')}
        <select autoFocus value={by ?? me?.user ?? ''} onChange={event => setBy(event.target.value)}>
          {people.map(({ owner, name }) => (
            <option key={owner} value={owner}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        {trans.__('Until')}
        <input
          type="date"
          min="2000-01-01"
          max="2099-12-31"
          value={until}
          onChange={event => setUntil(event.target.value)}
        />
      </label>
      <label>
        {trans.__('Note')}
        <textarea
          rows={2}
          maxLength={2000}
          placeholder={trans.__('What was checked')}
          value={note}
          onChange={event => setNote(event.target.value)}
        />
      </label>
      <div className="jp-Colophon-actions">
        <button type="submit" className="jp-Colophon-button jp-mod-primary" disabled={me === null}>
          {trans.__('Certify')}
        </button>
        <button type="button" className="jp-Colophon-button" onClick={close}>
          {trans.__('Cancel')}
        </button>
      </div>
    </ShortForm>
  );
}
