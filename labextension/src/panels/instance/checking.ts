import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { RJSFSchema, ValidatorType } from '@rjsf/utils';
import { customizeValidator } from '@rjsf/validator-ajv8';
import type { IPlacedError } from '../../model/branches';
import { likelyErrors } from '../../model/branches';
import type { Check } from '../../model/editor';
import { faultsOf } from '../../model/faults';
import { isWithin } from '../../model/pointer';
import { filled } from '../../model/secrets';
import { faultWords, validator as newer } from '../aspect/checking';

/** Draft-07, the dialect of schemaspaces (spec SEC-7). */
const older = customizeValidator();

function validatorFor(dialect: unknown): ValidatorType {
  return typeof dialect === 'string' && dialect.includes('2020-12') ? newer : older;
}

/** A validator that takes a placeholder for a text, so that parts which depend on a secret are shown. */
export function formValidator(dialect: unknown): ValidatorType {
  const inner = validatorFor(dialect);
  return Object.assign(Object.create(inner) as ValidatorType, {
    isValid: (schema: RJSFSchema, value: unknown, root: RJSFSchema) =>
      inner.isValid(schema, filled(value as ReadonlyJSONObject).value, root)
  });
}

const WHOLES = ['oneOf', 'anyOf', 'if', 'not'];

/** Whether an error is about a secret that nobody here can see, and so about nothing. */
function isUnseen(error: IPlacedError, secrets: readonly string[]): boolean {
  return secrets.some(
    secret =>
      isWithin(error.instancePath, secret) || (WHOLES.includes(error.keyword) && isWithin(secret, error.instancePath))
  );
}

/** A check of drafts of instances. What it lets through the server may still refuse: the server decides. */
export function instanceCheck(schema: RJSFSchema, dialect: unknown, trans: TranslationBundle): Check {
  const words = faultWords(trans);
  const validator = validatorFor(dialect);
  return draft => {
    const { value, pointers } = filled(draft);
    const errors = validator.rawValidation<IPlacedError>(schema, value).errors ?? [];
    return faultsOf(likelyErrors(errors.filter(error => !isUnseen(error, pointers))), words);
  };
}
