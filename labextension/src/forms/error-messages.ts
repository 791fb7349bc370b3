import type { TranslationBundle } from '@jupyterlab/translation';
import type { IErrorMessages } from '../model/schemas/validation-errors';

const FORMATS = new Map<string, (trans: TranslationBundle) => string>([
  ['uri', trans => trans.__('Must be a URL such as https://example.org/path.')],
  ['email', trans => trans.__('Must be an email address.')],
  ['date', trans => trans.__('Must be a date such as 2026-11-20.')],
  ['date-time', trans => trans.__('Must be a time such as 2026-11-20T12:00:00Z.')]
]);

/** Creates the error messages in the language of the user. */
export function createErrorMessages(trans: TranslationBundle): IErrorMessages {
  return {
    formatRequired: () => trans.__('Required.'),
    formatName: () => trans.__('Only A to Z, a to z, 0 to 9, _ and - are allowed, at most 50 characters.'),
    formatReserved: () => trans.__('This name is reserved.'),
    formatMaxLength: limit => trans.__('At most %1 characters.', limit),
    formatMaxItems: limit => trans.__('At most %1 items.', limit),
    formatDuplicate: () => trans.__('Duplicate value.'),
    formatType: expected => trans.__('Must be of type %1.', expected),
    formatChoices: expected => trans.__('Must be one of: %1.', expected),
    formatUnknownProperty: name => trans.__('Unknown property: %1.', name),
    formatPattern: pattern => trans.__('Must match the pattern %1', pattern),
    formatExpected: description => trans.__('Expected: %1', description),
    formatConstant: expected => trans.__('Must be %1.', expected),
    formatMinimum: limit => trans.__('At least %1.', limit),
    formatMaximum: limit => trans.__('At most %1.', limit),
    formatMinItems: limit => trans.__('At least %1 items.', limit),
    formatMinLength: limit => trans.__('At least %1 characters.', limit),
    formatFormat: name => FORMATS.get(name)?.(trans) ?? trans.__('Must have the format %1.', name),
    formatOneOf: () => trans.__('Must match exactly one of the choices.')
  };
}
