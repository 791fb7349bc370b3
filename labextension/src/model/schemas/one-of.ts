import type { IAjvError } from './validation-errors';
import { isWithin } from './pointer';

/** An error of ajv, with its location in the schema. */
export interface ISchemaError extends IAjvError {
  schemaPath: string;
}

const CHOICES = ['oneOf', 'anyOf'];

function isChoice(error: ISchemaError): boolean {
  return CHOICES.includes(error.keyword);
}

/** Whether an error was found in a branch of a choice. */
function isInsideChoice(error: ISchemaError, choice: ISchemaError): boolean {
  return (
    error !== choice &&
    isWithin(error.schemaPath, choice.schemaPath) &&
    isWithin(error.instancePath, choice.instancePath)
  );
}

/** Rates the mismatches of a branch: a different constant means that another branch was intended. */
function countMismatches(errors: readonly ISchemaError[]): number {
  return errors.reduce((sum, { keyword }) => sum + (keyword === 'const' || keyword === 'enum' ? 100 : 1), 0);
}

function groupByBranch(errors: readonly ISchemaError[], choice: ISchemaError): ISchemaError[][] {
  const branches = new Map<string, ISchemaError[]>();
  for (const error of errors) {
    const branch = error.schemaPath.slice(choice.schemaPath.length + 1).split('/', 1)[0] ?? '';
    branches.set(branch, [...(branches.get(branch) ?? []), error]);
  }
  return [...branches.values()];
}

/**
 * Reduces the errors to those that concern the user: of branches, only those of the most likely one.
 *
 * ajv reports the errors of all branches, including those that were not intended.
 */
export function findRelevantErrors(errors: readonly ISchemaError[]): ISchemaError[] {
  const outermost = errors
    .filter(isChoice)
    .filter((choice, _, all) => !all.some(other => other !== choice && isInsideChoice(choice, other)));
  const replaced = new Set<ISchemaError>();
  const relevant: ISchemaError[] = [];
  for (const choice of outermost) {
    const branchErrors = errors.filter(error => isInsideChoice(error, choice));
    branchErrors.forEach(error => replaced.add(error));
    const [likeliest] = groupByBranch(branchErrors, choice).sort(
      (left, right) => countMismatches(left) - countMismatches(right)
    );
    // Several branches match, which is the error itself.
    if (likeliest && !Array.isArray(choice.params['passingSchemas'])) {
      replaced.add(choice);
      relevant.push(...findRelevantErrors(likeliest));
    }
  }
  const remaining = [...errors.filter(error => !replaced.has(error)), ...relevant];
  // `if` only repeats that its consequence has errors.
  return remaining.length > 1 ? remaining.filter(error => error.keyword !== 'if') : remaining;
}
