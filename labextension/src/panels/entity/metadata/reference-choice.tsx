import { addIcon } from '@jupyterlab/ui-components';
import type { ReadonlyJSONArray, ReadonlyJSONObject } from '@lumino/coreutils';
import React from 'react';
import { useModel } from '../../../components/use-model';
import type { Descriptor } from '../../../generated/api';
import type { AspectSpec } from '../../../model/editing/editor';
import type { ReferenceKind } from '../../../model/search/vocabulary';
import { REFERENCE_ASPECTS } from '../../../model/set-by-people';
import type { IPageProps } from '../page';
import { startChange } from '../page';
import { completeUserMetadata, createPropertyField, setFieldText, USER_ASPECT } from './user-metadata';

/** The aspect that a chosen entity of each kind is written to: owners by users, the others by the recorders, too. */
const ASPECTS: Readonly<Record<ReferenceKind, string>> = { owner: USER_ASPECT, ...REFERENCE_ASPECTS };

function listItems(value: ReadonlyJSONObject, member: string): ReadonlyJSONArray {
  const items = value[member];
  return Array.isArray(items) ? (items as ReadonlyJSONArray) : [];
}

/** Returns an aspect with a chosen entity. */
function addReference(
  kind: ReferenceKind,
  spec: AspectSpec,
  urn: string,
  value: ReadonlyJSONObject
): ReadonlyJSONObject {
  switch (kind) {
    case 'owner':
      return setFieldText(completeUserMetadata(value), createPropertyField(spec, 'owner').pointer, urn);
    case 'domain':
      return { ...value, domains: [...listItems(value, 'domains').filter(other => other !== urn), urn] };
    case 'term': {
      const others = listItems(value, 'terms').filter(item => (item as ReadonlyJSONObject)['urn'] !== urn);
      const auditStamp = { time: Date.now(), actor: 'urn:li:corpuser:unknown' };
      return { auditStamp, ...value, terms: [...others, { urn }] };
    }
  }
}

/** Returns an aspect without an entity. */
export function removeReference(kind: ReferenceKind, urn: string, value: ReadonlyJSONObject): ReadonlyJSONObject {
  return kind === 'domain'
    ? { ...value, domains: listItems(value, 'domains').filter(other => other !== urn) }
    : { ...value, terms: listItems(value, 'terms').filter(item => (item as ReadonlyJSONObject)['urn'] !== urn) };
}

/** Returns the kind of entities that users choose for a kind of descriptor; undefined if they are typed. */
export function getReferenceKind(kind: Descriptor['kind']): ReferenceKind | undefined {
  return kind === 'owner' || kind === 'term' || kind === 'domain' ? kind : undefined;
}

/** Returns the aspect that a kind of entities is written to; undefined if the user may not. */
export function useReferenceSpec({ page }: IPageProps, kind: ReferenceKind): AspectSpec | undefined {
  const { type, mayEdit, mayRecord } = useModel(page.model);
  const spec = type?.aspects.find(({ name }) => name === ASPECTS[kind]);
  return (spec?.scope === 'USER' ? mayEdit : mayRecord) ? spec : undefined;
}

/** A button that asks for an owner, a glossary term or a domain, and adds it. */
export function ReferenceChoice({ page, kind }: IPageProps & { kind: ReferenceKind }): React.JSX.Element | null {
  const { model, actions, trans } = page;
  const spec = useReferenceSpec({ page }, kind);
  if (spec === undefined) {
    return null;
  }
  const label = {
    owner: trans.__('Choose an owner'),
    term: trans.__('Add a glossary term'),
    domain: trans.__('Add a domain')
  }[kind];
  const choose = async (): Promise<void> => {
    const urn = await actions.pickReference(kind);
    if (urn !== null) {
      await startChange(page, () => model.change(spec, value => addReference(kind, spec, urn, value)));
    }
  };
  const note = spec.scope === 'USER' ? label : trans.__('%1. The system that records it may replace it later.', label);
  return (
    <button type="button" className="jp-Colophon-prompt" title={note} onClick={() => void choose()}>
      <addIcon.react tag="span" width="14px" />
      {label}
    </button>
  );
}
