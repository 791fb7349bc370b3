import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

interface IField {
  fieldPath: string;
  nativeDataType: string;
  nullable?: boolean;
  description?: string;
}

function isField(value: unknown): value is IField {
  return typeof value === 'object' && value !== null && 'fieldPath' in value && typeof value.fieldPath === 'string';
}

/** The fields that a `schemaMetadata` names; what is no field is left out. */
export function fieldsOf(value: object): IField[] {
  const fields: unknown = (value as { fields?: unknown }).fields;
  return Array.isArray(fields) ? fields.filter(isField) : [];
}

/** The columns of a dataset. */
export function SchemaTable(props: { fields: readonly IField[]; trans: TranslationBundle }): React.JSX.Element {
  const { fields, trans } = props;
  const described = fields.some(field => field.description);
  return (
    <table className="jp-Colophon-table" aria-label={trans.__('Schema')}>
      <thead>
        <tr>
          <th scope="col">{trans.__('Column')}</th>
          <th scope="col">{trans.__('Type')}</th>
          <th scope="col">{trans.__('May be empty')}</th>
          {described && <th scope="col">{trans.__('Description')}</th>}
        </tr>
      </thead>
      <tbody>
        {fields.map(field => (
          <tr key={field.fieldPath}>
            <th scope="row">{field.fieldPath}</th>
            <td>
              <code>{field.nativeDataType}</code>
            </td>
            <td>{field.nullable === undefined ? '' : field.nullable ? trans.__('yes') : trans.__('no')}</td>
            {described && <td>{field.description}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
