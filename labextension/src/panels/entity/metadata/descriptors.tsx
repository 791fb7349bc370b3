import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { Descriptor } from '../../../generated/api';
import type { DescriptorSource, IDescribedValue } from '../../../model/descriptors';
import { getScope } from '../../../model/descriptors';
import { LongText } from '../../../components/long-text';

/** The context of all views of descriptors. */
export interface IDescriptorContext {
  /** Returns the title of an aspect. */
  getTitle: (aspect: string) => string;
  open: (urn: string) => void;
  trans: TranslationBundle;
}

/** Returns the label of a kind of descriptor. */
export function getKindLabel(kind: Descriptor['kind'], trans: TranslationBundle): string {
  return {
    tag: trans.__('Tag'),
    term: trans.__('Glossary term'),
    owner: trans.__('Owner'),
    domain: trans.__('Domain'),
    description: trans.__('Description'),
    property: trans.__('Property'),
    link: trans.__('Link'),
    name: trans.__('Name'),
    certification: trans.__('Certification'),
    quality: trans.__('Quality'),
    state: trans.__('State'),
    assignee: trans.__('Assigned to')
  }[kind];
}

/** Formats the sources of a value: `Global tags (SYSTEM)`. */
function formatSources(sources: readonly DescriptorSource[], { getTitle, trans }: IDescriptorContext): string {
  return sources.map(({ aspect, scope }) => trans.__('%1 (%2)', getTitle(aspect), scope)).join(', ');
}

/** Formats the kind and the sources of a value: `Tag, User metadata (USER)`. */
export function formatValueSource({ kind, sources }: IDescribedValue, context: IDescriptorContext): string {
  return context.trans.__('%1, %2', getKindLabel(kind, context.trans), formatSources(sources, context));
}

/** The name of a value, with a link to the entity that it refers to. */
export function DescriptorName(props: {
  value: Pick<Descriptor, 'name' | 'urn'>;
  context: IDescriptorContext;
  /** The tooltip of the link; by default, the URN. */
  tooltip?: string;
}): React.JSX.Element {
  const { value, context, tooltip } = props;
  const { name, urn } = value;
  return urn === null ? (
    <LongText text={name} trans={context.trans} />
  ) : (
    <button type="button" className="jp-Colophon-link" title={tooltip ?? urn} onClick={() => context.open(urn)}>
      {name}
    </button>
  );
}

/** The scope of a value as a badge; its tooltip and accessible text contain the aspects. */
function SourceBadge({ value, context }: IValueProps): React.JSX.Element {
  const text = formatSources(value.sources, context);
  return (
    <span className="jp-Colophon-scope" title={text}>
      <span aria-hidden="true">{getScope(value)}</span>
      <span className="jp-Colophon-visually-hidden">{text}</span>
    </span>
  );
}

interface IValueProps {
  value: IDescribedValue;
  context: IDescriptorContext;
}

/** Properties and similar values as a list of keys and values. */
export function DescriptorList(props: {
  values: readonly IDescribedValue[];
  label: string;
  context: IDescriptorContext;
}): React.JSX.Element | null {
  const { values, label, context } = props;
  if (values.length === 0) {
    return null;
  }
  return (
    <dl className="jp-Colophon-definitions" aria-label={label}>
      {values.map(value => (
        <div key={`${value.kind} ${value.key} ${value.name}`}>
          <dt>{value.kind === 'property' ? value.key : getKindLabel(value.kind, context.trans)}</dt>
          <dd>
            <DescriptorName value={value} context={context} />
          </dd>
          <dd>
            <SourceBadge value={value} context={context} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
