import { appendStep } from './pointer';
import type { IValidationError } from '../problem';

/** The members of an error of ajv that are used here. */
export interface IAjvError {
  keyword: string;
  instancePath: string;
  params: Record<string, unknown>;
  message?: string;
  propertyName?: string;
  parentSchema?: { description?: string };
}

/** The error messages in the language of the user. */
export interface IErrorMessages {
  formatRequired(): string;
  formatName(): string;
  formatReserved(): string;
  formatMaxLength(limit: number): string;
  formatMaxItems(limit: number): string;
  formatDuplicate(): string;
  formatType(type: string): string;
  formatChoices(choices: string): string;
  formatUnknownProperty(name: string): string;
  formatPattern(pattern: string): string;
  formatExpected(description: string): string;
  formatConstant(value: string): string;
  formatMinimum(limit: string): string;
  formatMaximum(limit: string): string;
  formatMinItems(limit: number): string;
  formatMinLength(limit: number): string;
  formatFormat(name: string): string;
  formatOneOf(): string;
}

/** The location of an item of a list, whose description fields do not show. */
const ITEM = /\/\d+$/;
/** The pattern of keys and tags (spec MODEL-7), with or without anchors. */
const NAME_PATTERN = /^\^?\[A-Za-z0-9_-\]\{1,50\}\$?$/;

function formatText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type FormatMessage = (error: IAjvError, words: IErrorMessages) => string;

const FORMATTERS: Record<string, FormatMessage> = {
  required: (_, words) => words.formatRequired(),
  pattern: ({ params, parentSchema, instancePath }, words) => {
    const pattern = formatText(params['pattern']);
    if (NAME_PATTERN.test(pattern)) {
      return words.formatName();
    }
    const description = (ITEM.test(instancePath) && parentSchema?.description) || '';
    return description === '' ? words.formatPattern(pattern) : words.formatExpected(description);
  },
  not: ({ propertyName, message }, words) => (propertyName === undefined ? (message ?? 'not') : words.formatReserved()),
  maxLength: ({ params }, words) => words.formatMaxLength(Number(params['limit'])),
  minLength: ({ params }, words) =>
    Number(params['limit']) === 1 ? words.formatRequired() : words.formatMinLength(Number(params['limit'])),
  minItems: ({ params }, words) =>
    Number(params['limit']) === 1 ? words.formatRequired() : words.formatMinItems(Number(params['limit'])),
  minimum: ({ params }, words) => words.formatMinimum(formatText(params['limit'])),
  maximum: ({ params }, words) => words.formatMaximum(formatText(params['limit'])),
  const: ({ params }, words) => words.formatConstant(formatText(params['allowedValue'])),
  format: ({ params }, words) => words.formatFormat(formatText(params['format'])),
  oneOf: (_, words) => words.formatOneOf(),
  maxItems: ({ params }, words) => words.formatMaxItems(Number(params['limit'])),
  uniqueItems: (_, words) => words.formatDuplicate(),
  type: ({ params }, words) => words.formatType(formatText(params['type'])),
  enum: ({ params }, words) => words.formatChoices((params['allowedValues'] as unknown[]).map(formatText).join(', ')),
  additionalProperties: ({ params }, words) => words.formatUnknownProperty(formatText(params['additionalProperty']))
};

function getPointer(error: IAjvError): string {
  const { keyword, instancePath, params, propertyName } = error;
  if (propertyName !== undefined) {
    return appendStep(instancePath, propertyName);
  }
  if (keyword === 'required') {
    return appendStep(instancePath, formatText(params['missingProperty']));
  }
  if (keyword === 'uniqueItems') {
    return appendStep(instancePath, Math.max(Number(params['i']), Number(params['j'])));
  }
  return instancePath;
}

/** Converts errors of ajv to one message for each location. */
export function toValidationErrors(errors: readonly IAjvError[], messages: IErrorMessages): IValidationError[] {
  const byPointer = new Map<string, IValidationError>();
  for (const error of errors) {
    // The error of the name itself is reported separately.
    if (error.keyword === 'propertyNames') {
      continue;
    }
    const pointer = getPointer(error);
    const message = FORMATTERS[error.keyword]?.(error, messages) ?? error.message ?? error.keyword;
    byPointer.set(pointer, byPointer.get(pointer) ?? { pointer, message });
  }
  return [...byPointer.values()];
}
