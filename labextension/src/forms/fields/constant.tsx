import type { ReadonlyJSONValue } from '@lumino/coreutils';
import { JSONExt } from '@lumino/coreutils';
import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { shown } from '../../model/difference';
import { DISCRIMINATOR } from '../../model/instance-schema';
import { aboveOf } from '../../model/pointer';
import { describedBy, hasValue } from '../context';
import { fieldOf, Frame } from './frame';

/**
 * What is always the same: to read only. Where it has to be there and is missing, it is put there, as soon as what
 * holds it is there; one that is wrong is put right by a person.
 */
export function ConstantField(props: FieldProps): React.JSX.Element | null {
  const field = fieldOf(props);
  const { context, id, pointer } = field;
  const { trans } = context;
  const wanted = (props.schema.const ?? props.schema.enum?.[0]) as ReadonlyJSONValue;
  const given = props.formData as ReadonlyJSONValue | undefined;
  const missing = given === undefined && props.required === true && hasValue(context, aboveOf(pointer));
  const { onChange } = props;
  React.useEffect(() => {
    if (!missing) {
      return;
    }
    // When the form has come to rest: of two changes at once the second one would undo the first.
    const timer = window.setTimeout(() => void onChange(wanted));
    return () => window.clearTimeout(timer);
  });
  const wrong = given !== undefined && !JSONExt.deepEqual(given, wanted);
  if ((props.schema as Record<string, unknown>)[DISCRIMINATOR] === true && !wrong) {
    // The choice of the branch has said it.
    return null;
  }
  return (
    <Frame field={field} required={false} description={props.schema.description}>
      <input id={id} readOnly value={shown(wrong ? given : wanted)} aria-describedby={describedBy(id)} />
      {wrong && (
        <button type="button" className="jp-Colophon-button" onClick={() => void onChange(wanted)}>
          {trans.__('Set to %1', shown(wanted))}
        </button>
      )}
    </Frame>
  );
}
