import type { ReadonlyJSONValue } from '@lumino/coreutils';
import { JSONExt } from '@lumino/coreutils';
import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { formatValue } from '../../model/difference';
import { DISCRIMINATOR } from '../../model/instances/instance-schema';
import { getParentPointer } from '../../model/schemas/pointer';
import { getDescriptionIds, hasValue } from '../context';
import { getField, FieldFrame } from './frame';

/**
 * A read-only field for a constant. A missing constant is added if it is required and its parent exists; a different
 * value
 * is corrected by the user.
 */
export function ConstantField(props: FieldProps): React.JSX.Element | null {
  const field = getField(props);
  const { context, id, pointer } = field;
  const { trans } = context;
  const constant = (props.schema.const ?? props.schema.enum?.[0]) as ReadonlyJSONValue;
  const value = props.formData as ReadonlyJSONValue | undefined;
  const isMissing = value === undefined && props.required === true && hasValue(context, getParentPointer(pointer));
  const { onChange } = props;
  React.useEffect(() => {
    if (!isMissing) {
      return;
    }
    // After the form has settled: of two changes at once, the second would undo the first.
    const timer = window.setTimeout(() => void onChange(constant));
    return () => window.clearTimeout(timer);
  });
  const isWrong = value !== undefined && !JSONExt.deepEqual(value, constant);
  if ((props.schema as Record<string, unknown>)[DISCRIMINATOR] === true && !isWrong) {
    // The selected branch implies the constant.
    return null;
  }
  return (
    <FieldFrame field={field} required={false} description={props.schema.description}>
      <input
        id={id}
        readOnly
        value={formatValue(isWrong ? value : constant)}
        aria-describedby={getDescriptionIds(id)}
      />
      {isWrong && (
        <button type="button" className="jp-Colophon-button" onClick={() => void onChange(constant)}>
          {trans.__('Set to %1', formatValue(constant))}
        </button>
      )}
    </FieldFrame>
  );
}
