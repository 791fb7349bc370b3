import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { RJSFSchema, ValidatorType } from '@rjsf/utils';
import { customizeValidator } from '@rjsf/validator-ajv8';
import Ajv2020 from 'ajv/dist/2020';
import type { ISchemaError } from '../model/schemas/one-of';
import { findRelevantErrors } from '../model/schemas/one-of';
import type { Check } from '../model/editing/editor';
import { toValidationErrors } from '../model/schemas/validation-errors';
import { isWithin } from '../model/schemas/pointer';
import { fillPlaceholders } from '../model/instances/secrets';
import { createErrorMessages } from './error-messages';

/** The dialect of the schemas of aspects. */
export const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';

const draft2020 = customizeValidator({ AjvClass: Ajv2020 });
/** The default dialect of schemaspaces. */
const draft07 = customizeValidator();

function selectValidator(dialect: unknown): ValidatorType {
  return typeof dialect === 'string' && dialect.includes('2020-12') ? draft2020 : draft07;
}

/** Creates a validator that accepts a placeholder as a string, so that parts that depend on a secret are displayed. */
export function createFormValidator(dialect: unknown): ValidatorType {
  const inner = selectValidator(dialect);
  return Object.assign(Object.create(inner) as ValidatorType, {
    isValid: (schema: RJSFSchema, value: unknown, root: RJSFSchema) =>
      inner.isValid(schema, fillPlaceholders(value as ReadonlyJSONObject).value, root)
  });
}

const COMBINING_KEYWORDS = ['oneOf', 'anyOf', 'if', 'not'];

/** Whether an error concerns a secret whose value is unknown here, so that it may be wrong. */
function concernsSecret(error: ISchemaError, secrets: readonly string[]): boolean {
  return secrets.some(
    secret =>
      isWithin(error.instancePath, secret) ||
      (COMBINING_KEYWORDS.includes(error.keyword) && isWithin(secret, error.instancePath))
  );
}

/** Creates a check of drafts against a schema. The server may reject drafts that pass it. */
export function createCheck(schema: RJSFSchema, dialect: unknown, trans: TranslationBundle): Check {
  const messages = createErrorMessages(trans);
  const validator = selectValidator(dialect);
  return draft => {
    const { value, pointers } = fillPlaceholders(draft);
    const errors = validator.rawValidation<ISchemaError>(schema, value).errors ?? [];
    return toValidationErrors(findRelevantErrors(errors.filter(error => !concernsSecret(error, pointers))), messages);
  };
}
