import type { IFormRendererRegistry } from '@jupyterlab/ui-components';
import type { RegistryFieldsType, RegistryWidgetsType } from '@rjsf/utils';
import type { OwnField } from '../model/schemas/ui-schema';
import { CodeField } from './fields/code';
import { ConstantField } from './fields/constant';
import { DropdownField } from './fields/dropdown';
import { JsonField } from './fields/json';
import { PairList } from './fields/pairs';
import { PasswordField } from './fields/password';
import { PluginField, PluginPropertiesField } from './fields/plugin';
import { StageField } from './fields/stage';
import { TagsField } from './fields/tags';
import { CheckboxesWidget, CheckboxWidget, SelectWidget, TextareaWidget } from './widgets';

/** Our own fields by their names in forms. */
const OWN_FIELDS = {
  tags: TagsField,
  dropdown: DropdownField,
  code: CodeField,
  password: PasswordField,
  constant: ConstantField,
  pairs: PairList,
  json: JsonField,
  plugin: PluginField,
  'plugin-properties': PluginPropertiesField,
  stage: StageField
} as unknown as Record<OwnField, RegistryFieldsType[string]>;

const OWN_WIDGETS = { CheckboxWidget, CheckboxesWidget, SelectWidget, TextareaWidget } as RegistryWidgetsType;

/** A value that can only be null needs no control; the one of rjsf would change the value. */
function NullField(): null {
  return null;
}

/** Returns the id of one of our fields in JupyterLab's registry, with which another extension can replace it. */
export function getRendererId(name: string): string {
  return `jupyter-colophon:forms.${name}`;
}

/** Returns the fields for all forms: those of the registry by their ids, and ours unless they are replaced. */
export function collectFields(registry: IFormRendererRegistry | null): RegistryFieldsType {
  const registered = Object.entries(registry?.renderers ?? {}).flatMap(([id, { fieldRenderer }]) =>
    fieldRenderer ? [[id, fieldRenderer] as const] : []
  );
  const all: RegistryFieldsType = Object.fromEntries(registered);
  const ours = Object.entries(OWN_FIELDS).map(([name, field]) => [name, all[getRendererId(name)] ?? field] as const);
  return { ...all, ...Object.fromEntries(ours), NullField };
}

/** Returns the widgets for all forms: those of the registry by their ids, and ours. */
export function collectWidgets(registry: IFormRendererRegistry | null): RegistryWidgetsType {
  const registered = Object.entries(registry?.renderers ?? {}).flatMap(([id, { widgetRenderer }]) =>
    widgetRenderer ? [[id, widgetRenderer] as const] : []
  );
  return { ...Object.fromEntries(registered), ...OWN_WIDGETS };
}
