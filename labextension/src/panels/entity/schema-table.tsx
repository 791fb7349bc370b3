import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { Name } from '../pieces/name';
import { TableRoom } from '../pieces/table-room';

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
    <TableRoom label={trans.__('Columns')}>
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
            <th scope="row">
              <Name text={field.fieldPath} />
            </th>
            <td>
              <code>{field.nativeDataType}</code>
            </td>
            <td>{field.nullable === undefined ? '' : field.nullable ? trans.__('yes') : trans.__('no')}</td>
            {described && <td className="jp-Colophon-told">{field.description}</td>}
          </tr>
        ))}
      </tbody>
    </TableRoom>
  );
}
