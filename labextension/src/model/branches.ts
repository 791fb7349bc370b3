import type { IAjvError } from './faults';
import { isWithin } from './pointer';

/** What ajv says of one mistake, with the place in the schema that says so. */
export interface IPlacedError extends IAjvError {
  schemaPath: string;
}

const CHOICES = ['oneOf', 'anyOf'];

function isChoice(error: IPlacedError): boolean {
  return CHOICES.includes(error.keyword);
}

/** Whether an error was found while a choice was tried out. */
function belongs(error: IPlacedError, choice: IPlacedError): boolean {
  return (
    error !== choice &&
    isWithin(error.schemaPath, choice.schemaPath) &&
    isWithin(error.instancePath, choice.instancePath)
  );
}

/** How much speaks against a branch: a constant that does not fit says that another one was meant. */
function distance(errors: readonly IPlacedError[]): number {
  return errors.reduce((sum, { keyword }) => sum + (keyword === 'const' || keyword === 'enum' ? 100 : 1), 0);
}

function byBranch(errors: readonly IPlacedError[], choice: IPlacedError): IPlacedError[][] {
  const branches = new Map<string, IPlacedError[]>();
  for (const error of errors) {
    const branch = error.schemaPath.slice(choice.schemaPath.length + 1).split('/', 1)[0] ?? '';
    branches.set(branch, [...(branches.get(branch) ?? []), error]);
  }
  return [...branches.values()];
}

/**
 * The errors that concern a person: of branches to choose from only the likeliest one speaks.
 *
 * ajv tells the errors of every branch, also of those that nobody meant.
 */
export function likelyErrors(errors: readonly IPlacedError[]): IPlacedError[] {
  const outermost = errors
    .filter(isChoice)
    .filter((choice, _, all) => !all.some(other => other !== choice && belongs(choice, other)));
  const dropped = new Set<IPlacedError>();
  const spoken: IPlacedError[] = [];
  for (const choice of outermost) {
    const tried = errors.filter(error => belongs(error, choice));
    tried.forEach(error => dropped.add(error));
    const [likeliest] = byBranch(tried, choice).sort((one, other) => distance(one) - distance(other));
    // Where more than one branch fits, that is what is wrong.
    if (likeliest && !Array.isArray(choice.params['passingSchemas'])) {
      dropped.add(choice);
      spoken.push(...likelyErrors(likeliest));
    }
  }
  const rest = [...errors.filter(error => !dropped.has(error)), ...spoken];
  // `if` only repeats that something is wrong with what it asks for.
  return rest.length > 1 ? rest.filter(error => error.keyword !== 'if') : rest;
}
