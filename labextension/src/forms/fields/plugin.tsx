import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { toPartSchema } from '../../model/instances/instance-schema';
import type { Schema } from '../../model/schemas/form-schema';
import { hasShape } from '../../model/schemas/form-schema';
import { toPartUi } from '../../model/schemas/ui-schema';
import { getParentPointer, appendStep, getValueAt } from '../../model/schemas/pointer';
import type { IPlugin } from '../../tokens';
import type { IFormContext } from '../context';
import { getDescriptionIds } from '../context';
import { createRendererNames } from '../renderer-names';
import { getField, FieldFrame } from './frame';
import { JsonField } from './json';

function usePlugins(context: IFormContext): readonly IPlugin[] | null {
  const { loadPlugins } = context;
  React.useEffect(() => loadPlugins(), [loadPlugins]);
  return context.plugins;
}

/** Returns the sibling of a field in a stage. */
function getSibling(context: IFormContext, pointer: string, name: string): unknown {
  return getValueAt(context.draft, appendStep(getParentPointer(pointer), name));
}

/** Replaces the plugin of a stage, keeping the properties that the new plugin has as well. */
function replacePlugin(stage: unknown, plugin: IPlugin | undefined, name: string): object {
  const { properties, ...others } = { ...(stage as Record<string, unknown>) };
  const allowed = Object.keys((plugin?.schema as Schema | undefined)?.['properties'] ?? {});
  const keptProperties = Object.entries({ ...(properties as object | undefined) }).filter(([key]) =>
    allowed.includes(key)
  );
  return {
    ...others,
    plugin: name,
    ...(keptProperties.length > 0 ? { properties: Object.fromEntries(keptProperties) } : {})
  };
}

/** A field for the plugin of a pipeline stage: one of the plugins of its type. */
export function PluginField(props: FieldProps<string>): React.JSX.Element {
  const field = getField(props);
  const { context, id, pointer, invalid } = field;
  const { trans } = context;
  const type = getSibling(context, pointer, 'type');
  const plugins = (usePlugins(context) ?? []).filter(plugin => plugin.type === type);
  const value = typeof props.formData === 'string' ? props.formData : '';
  const isUnknown = value !== '' && !plugins.some(plugin => plugin.name === value);
  const chosen = plugins.find(plugin => plugin.name === value);
  const choose = (name: string): void => {
    const stage = getParentPointer(pointer);
    const plugin = plugins.find(candidate => candidate.name === name);
    context.setValue(stage, replacePlugin(getValueAt(context.draft, stage), plugin, name));
  };
  return (
    <FieldFrame field={field} required={props.required} description={chosen?.description ?? props.schema.description}>
      <select
        id={id}
        value={value}
        aria-describedby={getDescriptionIds(id)}
        aria-invalid={invalid}
        aria-required={props.required === true}
        onChange={event => choose(event.target.value)}
        onBlur={() => context.touch(pointer)}
      >
        <option value="">{type === undefined ? trans.__('Choose a type first') : ''}</option>
        {isUnknown && (
          <option value={value}>
            {context.plugins === null ? value : trans.__('%1 (not a plugin of this type)', value)}
          </option>
        )}
        {plugins.map(plugin => (
          <option key={plugin.name} value={plugin.name}>
            {plugin.title === plugin.name ? plugin.name : trans.__('%1 (%2)', plugin.title, plugin.name)}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

/** A field for the properties of a stage by the schema of its plugin, or as JSON if the plugin is unknown. */
export function PluginPropertiesField(props: FieldProps): React.JSX.Element {
  const { context, id, pointer } = getField(props);
  const { registry } = props;
  const plugins = usePlugins(context);
  const type = getSibling(context, pointer, 'type');
  const name = getSibling(context, pointer, 'plugin');
  const plugin = plugins?.find(candidate => candidate.type === type && candidate.name === name);
  const [schema, ui] = React.useMemo(() => {
    if (!plugin) {
      return [null, {}];
    }
    const part = toPartSchema(plugin.schema);
    return [part, toPartUi(part, createRendererNames(registry.fields, registry.widgets))];
  }, [plugin, registry.fields, registry.widgets]);
  const value: unknown = props.formData ?? {};
  const { SchemaField } = registry.fields;
  if (!schema || !SchemaField || !hasShape(schema, value)) {
    return <JsonField {...props} />;
  }
  return (
    <SchemaField
      {...props}
      formData={value}
      schema={{ ...schema, title: props.schema.title ?? '', description: props.schema.description ?? '' }}
      uiSchema={ui}
      idSchema={registry.schemaUtils.toIdSchema(schema, id, value, undefined, '/')}
    />
  );
}
