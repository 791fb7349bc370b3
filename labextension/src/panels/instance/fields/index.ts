import type { IFormRendererRegistry } from '@jupyterlab/ui-components';
import type { Field } from '@rjsf/utils';
import type { OwnField } from '../../../model/instance-schema';
import { JsonField } from '../../aspect/json-field';
import { PairList } from '../../aspect/pair-list';
import { CodeField } from './code';
import { ConstantField } from './constant';
import { DropdownField } from './dropdown';
import { PasswordField } from './password';
import { PluginField, PluginPropertiesField } from './plugin';
import { TagsField } from './tags';

/** Our own fields, by the names that forms know them by. */
export const OWN_FIELDS = {
  tags: TagsField,
  dropdown: DropdownField,
  code: CodeField,
  password: PasswordField,
  constant: ConstantField,
  pairs: PairList,
  json: JsonField,
  plugin: PluginField,
  'plugin-properties': PluginPropertiesField
} as unknown as Record<OwnField, Field>;

/** What can only be null needs no control; rjsf's own would change the value by itself. */
function NullField(): null {
  return null;
}

/** The name that a field of ours has in JupyterLab's registry, where somebody else may take its place. */
export function rendererId(name: string): string {
  return `jupyter-colophon:instance.${name}`;
}

/** Every field that forms of instances know: those that anybody registered, and ours unless somebody has replaced them. */
export function fieldsOf(registry: IFormRendererRegistry | null): Record<string, Field> {
  const registered = Object.entries(registry?.renderers ?? {}).flatMap(([id, { fieldRenderer }]) =>
    fieldRenderer ? [[id, fieldRenderer] as const] : []
  );
  const all = Object.fromEntries(registered);
  const ours = Object.entries(OWN_FIELDS).map(([name, field]) => [name, all[rendererId(name)] ?? field] as const);
  return { ...all, ...Object.fromEntries(ours), NullField };
}
