import { stepInto } from './pointer';
import type { IFault } from './problem';

/** What ajv says of one mistake; only what is used here. */
export interface IAjvError {
  keyword: string;
  instancePath: string;
  params: Record<string, unknown>;
  message?: string;
  propertyName?: string;
}

/** Says what is wrong in the reader's language. */
export interface IFaultWords {
  required(): string;
  name(): string;
  reserved(): string;
  tooLong(most: number): string;
  tooMany(most: number): string;
  twice(): string;
  type(wanted: string): string;
  choice(wanted: string): string;
  unknown(name: string): string;
  form(pattern: string): string;
  constant(wanted: string): string;
  atLeast(least: string): string;
  atMost(most: string): string;
  tooFew(least: number): string;
  tooShort(least: number): string;
  format(name: string): string;
  several(): string;
}

/** The grammar of keys and tags (spec MODEL-7), however a schema anchors it. */
const NAME_PATTERN = /^\^?\[A-Za-z0-9_-\]\{1,50\}\$?$/;

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type Worder = (error: IAjvError, words: IFaultWords) => string;

const WORDERS: Record<string, Worder> = {
  required: (_, words) => words.required(),
  pattern: ({ params }, words) => {
    const pattern = text(params['pattern']);
    return NAME_PATTERN.test(pattern) ? words.name() : words.form(pattern);
  },
  not: ({ propertyName, message }, words) => (propertyName === undefined ? (message ?? 'not') : words.reserved()),
  maxLength: ({ params }, words) => words.tooLong(Number(params['limit'])),
  minLength: ({ params }, words) =>
    Number(params['limit']) === 1 ? words.required() : words.tooShort(Number(params['limit'])),
  minItems: ({ params }, words) =>
    Number(params['limit']) === 1 ? words.required() : words.tooFew(Number(params['limit'])),
  minimum: ({ params }, words) => words.atLeast(text(params['limit'])),
  maximum: ({ params }, words) => words.atMost(text(params['limit'])),
  const: ({ params }, words) => words.constant(text(params['allowedValue'])),
  format: ({ params }, words) => words.format(text(params['format'])),
  oneOf: (_, words) => words.several(),
  maxItems: ({ params }, words) => words.tooMany(Number(params['limit'])),
  uniqueItems: (_, words) => words.twice(),
  type: ({ params }, words) => words.type(text(params['type'])),
  enum: ({ params }, words) => words.choice((params['allowedValues'] as unknown[]).map(text).join(', ')),
  additionalProperties: ({ params }, words) => words.unknown(text(params['additionalProperty']))
};

function pointerOf(error: IAjvError): string {
  const { keyword, instancePath, params, propertyName } = error;
  if (propertyName !== undefined) {
    return stepInto(instancePath, propertyName);
  }
  if (keyword === 'required') {
    return stepInto(instancePath, text(params['missingProperty']));
  }
  if (keyword === 'uniqueItems') {
    return stepInto(instancePath, Math.max(Number(params['i']), Number(params['j'])));
  }
  return instancePath;
}

/** What ajv found, at the place a person can mend it and in words; one fault for every place. */
export function faultsOf(errors: readonly IAjvError[], words: IFaultWords): IFault[] {
  const faults = new Map<string, IFault>();
  for (const error of errors) {
    // It only repeats that the name below it is wrong.
    if (error.keyword === 'propertyNames') {
      continue;
    }
    const pointer = pointerOf(error);
    const message = WORDERS[error.keyword]?.(error, words) ?? error.message ?? error.keyword;
    faults.set(pointer, faults.get(pointer) ?? { pointer, message });
  }
  return [...faults.values()];
}
