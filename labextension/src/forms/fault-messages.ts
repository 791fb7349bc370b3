import type { TranslationBundle } from '@jupyterlab/translation';
import type { IFaultWords } from '../model/faults';

const FORMATS = new Map<string, (trans: TranslationBundle) => string>([
  ['uri', trans => trans.__('This must be an address such as https://example.org/path.')],
  ['email', trans => trans.__('This must be an e-mail address.')],
  ['date', trans => trans.__('This must be a date such as 2026-11-20.')],
  ['date-time', trans => trans.__('This must be a moment such as 2026-11-20T12:00:00Z.')]
]);

/** The messages for faults of a value, in the reader's language. */
export function faultMessages(trans: TranslationBundle): IFaultWords {
  return {
    required: () => trans.__('Required.'),
    name: () => trans.__('Only the letters A to Z, digits, _ and -, at most 50 of them.'),
    reserved: () => trans.__('This word is reserved.'),
    tooLong: most => trans.__('At most %1 characters.', most),
    tooMany: most => trans.__('No more than %1 items.', most),
    twice: () => trans.__('Duplicate value.'),
    type: wanted => trans.__('This must be of type %1.', wanted),
    choice: wanted => trans.__('One of: %1.', wanted),
    unknown: name => trans.__('%1 does not belong here.', name),
    form: pattern => trans.__('This must look like %1', pattern),
    constant: wanted => trans.__('This is always %1.', wanted),
    atLeast: least => trans.__('At least %1.', least),
    atMost: most => trans.__('At most %1.', most),
    tooFew: least => trans.__('At least %1 items.', least),
    tooShort: least => trans.__('At least %1 characters.', least),
    format: name => FORMATS.get(name)?.(trans) ?? trans.__('This must be of the form %1.', name),
    several: () => trans.__('This fits more than one of the choices, or none.')
  };
}
