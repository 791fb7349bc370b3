import type { FieldProps } from '@rjsf/utils';
import React from 'react';

/** A field for one stage of a pipeline: the item of the list at the index in the option `index`. */
export function StageField(props: FieldProps): React.JSX.Element | null {
  const { registry, schema, uiSchema, idSchema, onChange } = props;
  const stages = (props.formData ?? []) as unknown[];
  const { SchemaField } = registry.fields;
  const index = Number((uiSchema as { 'ui:index'?: number } | undefined)?.['ui:index']);
  const item = stages[index];
  const items = schema.items;
  if (!SchemaField || item === undefined || typeof items !== 'object' || Array.isArray(items)) {
    return null;
  }
  return (
    <SchemaField
      {...props}
      name={String(index)}
      schema={{ ...items, title: '' }}
      uiSchema={(uiSchema?.items ?? {}) as NonNullable<typeof uiSchema>}
      formData={item}
      idSchema={registry.schemaUtils.toIdSchema(items, `${idSchema.$id}/${index}`, item, undefined, '/')}
      onChange={(value: unknown) => void onChange(stages.map((other, at) => (at === index ? value : other)))}
    />
  );
}
