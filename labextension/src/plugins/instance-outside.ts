import { InputDialog, Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { asProblem } from '../model/problem';
import type { SchemaspacesModel } from '../panels/schemaspace/model';
import type { ISchemaspaces } from '../tokens';
import { textOf } from './arguments';

/** An instance by its place. */
export interface IPlace {
  space: string;
  name: string;
}

/** The instance that a command is about: what its arguments say, else the one that a person is at in the panel. */
export function placeOf(args: ReadonlyPartialJSONObject, model: SchemaspacesModel): IPlace | null {
  const said = { space: textOf(args, 'space'), name: textOf(args, 'name') };
  if (said.space !== '' && said.name !== '') {
    return said;
  }
  const { current } = model.state;
  return current === null ? null : { space: current.space, name: current.row.name };
}

/** Tells why something did not work; a command has no other place to say it. */
export function tellProblem(reason: unknown, what: string): void {
  const problem = asProblem(reason);
  const faults = problem.faults.map(fault => `${fault.pointer} ${fault.message}`.trim());
  Notification.error([what, problem.message, ...faults.slice(0, 3)].filter(line => line !== '').join('\n'));
}

/** A question with a list of answers; null when it is given up. */
async function chosen<T>(
  title: string,
  items: readonly (readonly [string, T])[],
  trans: TranslationBundle
): Promise<T | null> {
  const labels = items.map(([label]) => label);
  const answer = await InputDialog.getItem({ title, items: labels, okLabel: trans.__('Select') });
  const at = answer.button.accept && answer.value !== null ? labels.indexOf(answer.value) : -1;
  return items[at]?.[1] ?? null;
}

/** The schemaspace that a command is about: what its arguments say, else it asks; null when that is given up. */
export async function spaceOf(
  args: ReadonlyPartialJSONObject,
  spaces: ISchemaspaces,
  trans: TranslationBundle
): Promise<string | null> {
  const said = textOf(args, 'space');
  if (said !== '') {
    return said;
  }
  const { schemaspaces } = await spaces.all();
  const items = schemaspaces.map(space => [space.display_name, space.name] as const);
  return chosen(trans.__('Which schemaspace?'), items, trans);
}

/** The schema of a new instance: what the arguments say, else it asks; null when that is given up. */
export async function schemaOf(
  args: ReadonlyPartialJSONObject,
  spaces: ISchemaspaces,
  trans: TranslationBundle
): Promise<{ space: string; schema: string } | null> {
  const said = { space: textOf(args, 'space'), schema: textOf(args, 'schema') };
  if (said.space !== '' && said.schema !== '') {
    return said;
  }
  const { schemaspaces } = await spaces.all();
  const items = schemaspaces
    .filter(space => said.space === '' || said.space === space.name)
    .flatMap(space =>
      space.schemas.map(({ name, title }) => {
        const label = space.display_name === title ? title : trans.__('%1: %2', space.display_name, title);
        return [label, { space: space.name, schema: name }] as const;
      })
    );
  return chosen(trans.__('What is to be created?'), items, trans);
}

/** An instance of a schemaspace that a person picks by its display name; null when that is given up. */
export async function pickedOf(
  space: string,
  title: string,
  spaces: ISchemaspaces,
  trans: TranslationBundle
): Promise<IPlace | null> {
  const most = 500;
  const { instances } = await spaces.instances(space, { valid: true, limit: most });
  const twice = new Set<string>();
  const seen = new Set<string>();
  instances.forEach(({ display_name }) => (seen.has(display_name) ? twice : seen).add(display_name));
  const items = instances.map(
    ({ display_name, name }) =>
      [twice.has(display_name) ? `${display_name} (${name})` : display_name, { space, name }] as const
  );
  return chosen(title, items, trans);
}
