import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { RJSFSchema, ValidatorType } from '@rjsf/utils';
import { customizeValidator } from '@rjsf/validator-ajv8';
import Ajv2020 from 'ajv/dist/2020';
import type { IPlacedError } from '../model/branches';
import { likelyErrors } from '../model/branches';
import type { Check } from '../model/editor';
import { faultsOf } from '../model/faults';
import { isWithin } from '../model/pointer';
import { filled } from '../model/secrets';
import { faultMessages } from './fault-messages';

/** The dialect of the schemas of aspects. */
export const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';

const draft2020 = customizeValidator({ AjvClass: Ajv2020 });
/** The default dialect of schemaspaces. */
const draft07 = customizeValidator();

function validatorFor(dialect: unknown): ValidatorType {
  return typeof dialect === 'string' && dialect.includes('2020-12') ? draft2020 : draft07;
}

/** Creates a validator that takes a placeholder for a text, so that parts which depend on a secret are shown. */
export function formValidator(dialect: unknown): ValidatorType {
  const inner = validatorFor(dialect);
  return Object.assign(Object.create(inner) as ValidatorType, {
    isValid: (schema: RJSFSchema, value: unknown, root: RJSFSchema) =>
      inner.isValid(schema, filled(value as ReadonlyJSONObject).value, root)
  });
}

const WHOLES = ['oneOf', 'anyOf', 'if', 'not'];

/** Whether an error is about a secret that is not known here, and so may be wrong. */
function isUnseen(error: IPlacedError, secrets: readonly string[]): boolean {
  return secrets.some(
    secret =>
      isWithin(error.instancePath, secret) || (WHOLES.includes(error.keyword) && isWithin(secret, error.instancePath))
  );
}

/** Creates a check of drafts against a schema. The server may refuse what it accepts: the server decides. */
export function checkOf(schema: RJSFSchema, dialect: unknown, trans: TranslationBundle): Check {
  const messages = faultMessages(trans);
  const validator = validatorFor(dialect);
  return draft => {
    const { value, pointers } = filled(draft);
    const errors = validator.rawValidation<IPlacedError>(schema, value).errors ?? [];
    return faultsOf(likelyErrors(errors.filter(error => !isUnseen(error, pointers))), messages);
  };
}
