import { InputDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { notifyError } from '../components/notify';
import { toProblem } from '../model/problem';
import type { SchemaspacesModel } from '../panels/schemaspace/model';
import type { ISchemaspaces } from '../tokens';
import { getText } from './arguments';

/** An instance by its schemaspace and name. */
export interface IInstanceName {
  space: string;
  name: string;
}

/** Returns the instance of a command: from its arguments, else the focused one of the panel. */
export function resolveInstance(args: ReadonlyPartialJSONObject, model: SchemaspacesModel): IInstanceName | null {
  const named = { space: getText(args, 'space'), name: getText(args, 'name') };
  if (named.space !== '' && named.name !== '') {
    return named;
  }
  const { current } = model.state;
  return current === null ? null : { space: current.space, name: current.row.name };
}

/** Shows the error of a command as a notification. */
export function showError(reason: unknown, summary: string): void {
  const problem = toProblem(reason);
  const faults = problem.errors.map(fault => `${fault.pointer} ${fault.message}`.trim());
  notifyError(summary, problem.message, ...faults.slice(0, 3));
}

/** Asks for one of several choices; null if the user cancels. */
async function askChoice<T>(
  title: string,
  items: readonly (readonly [string, T])[],
  trans: TranslationBundle
): Promise<T | null> {
  const labels = items.map(([label]) => label);
  const answer = await InputDialog.getItem({ title, items: labels, okLabel: trans.__('Select') });
  const index = answer.button.accept && answer.value !== null ? labels.indexOf(answer.value) : -1;
  return items[index]?.[1] ?? null;
}

/** Returns the schemaspace of a command: from its arguments, else it asks; null if the user cancels. */
export async function resolveSpace(
  args: ReadonlyPartialJSONObject,
  spaces: ISchemaspaces,
  trans: TranslationBundle
): Promise<string | null> {
  const name = getText(args, 'space');
  if (name !== '') {
    return name;
  }
  const { schemaspaces } = await spaces.listSchemaspaces();
  const items = schemaspaces.map(space => [space.display_name, space.name] as const);
  return askChoice(trans.__('Select a schemaspace'), items, trans);
}

/** Returns the schema for a new instance: from the arguments, else it asks; null if the user cancels. */
export async function resolveSchema(
  args: ReadonlyPartialJSONObject,
  spaces: ISchemaspaces,
  trans: TranslationBundle
): Promise<{ space: string; schema: string } | null> {
  const named = { space: getText(args, 'space'), schema: getText(args, 'schema') };
  if (named.space !== '' && named.schema !== '') {
    return named;
  }
  const { schemaspaces } = await spaces.listSchemaspaces();
  const items = schemaspaces
    .filter(space => named.space === '' || named.space === space.name)
    .flatMap(space =>
      space.schemas.map(({ name, title }) => {
        const label = space.display_name === title ? title : trans.__('%1: %2', space.display_name, title);
        return [label, { space: space.name, schema: name }] as const;
      })
    );
  return askChoice(trans.__('Select a schema'), items, trans);
}

/** Asks for an instance of a schemaspace by its display name; null if the user cancels. */
export async function askInstance(
  space: string,
  title: string,
  spaces: ISchemaspaces,
  trans: TranslationBundle
): Promise<IInstanceName | null> {
  const limit = 500;
  const { instances } = await spaces.listInstances(space, { valid: true, limit: limit });
  const duplicates = new Set<string>();
  const names = new Set<string>();
  instances.forEach(({ display_name }) => (names.has(display_name) ? duplicates : names).add(display_name));
  const items = instances.map(
    ({ display_name, name }) =>
      [duplicates.has(display_name) ? `${display_name} (${name})` : display_name, { space, name }] as const
  );
  return askChoice(title, items, trans);
}
