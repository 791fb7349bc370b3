import type { FieldProps } from '@rjsf/utils';
import React from 'react';
import { partSchema } from '../../model/instance-schema';
import type { Schema } from '../../model/form-schema';
import { hasShape } from '../../model/form-schema';
import { partUi } from '../../model/ui-schema';
import { aboveOf, stepInto, valueAt } from '../../model/pointer';
import type { IPlugin } from '../../tokens';
import type { IFormContext } from '../context';
import { describedBy } from '../context';
import { rendererNames } from '../renderer-names';
import { fieldOf, Frame } from './frame';
import { JsonField } from './json';

function usePlugins(context: IFormContext): readonly IPlugin[] | null {
  const { loadPlugins } = context;
  React.useEffect(() => loadPlugins(), [loadPlugins]);
  return context.plugins;
}

/** What else a stage says beside the field at a place. */
function siblingOf(context: IFormContext, pointer: string, name: string): unknown {
  return valueAt(context.draft, stepInto(aboveOf(pointer), name));
}

/** A stage with another plugin: of its properties those stay that the new one knows. */
function withPlugin(stage: unknown, plugin: IPlugin | undefined, name: string): object {
  const { properties, ...rest } = { ...(stage as Record<string, unknown>) };
  const known = Object.keys((plugin?.schema as Schema | undefined)?.['properties'] ?? {});
  const kept = Object.entries({ ...(properties as object | undefined) }).filter(([key]) => known.includes(key));
  return { ...rest, plugin: name, ...(kept.length > 0 ? { properties: Object.fromEntries(kept) } : {}) };
}

/** The plugin of a stage of a pipeline: one of those of its type. */
export function PluginField(props: FieldProps<string>): React.JSX.Element {
  const field = fieldOf(props);
  const { context, id, pointer, invalid } = field;
  const { trans } = context;
  const type = siblingOf(context, pointer, 'type');
  const plugins = (usePlugins(context) ?? []).filter(plugin => plugin.type === type);
  const value = typeof props.formData === 'string' ? props.formData : '';
  const unknown = value !== '' && !plugins.some(plugin => plugin.name === value);
  const chosen = plugins.find(plugin => plugin.name === value);
  const choose = (name: string): void => {
    const stage = aboveOf(pointer);
    const plugin = plugins.find(one => one.name === name);
    context.put(stage, withPlugin(valueAt(context.draft, stage), plugin, name));
  };
  return (
    <Frame field={field} required={props.required} description={chosen?.description ?? props.schema.description}>
      <select
        id={id}
        value={value}
        aria-describedby={describedBy(id)}
        aria-invalid={invalid}
        aria-required={props.required === true}
        onChange={event => choose(event.target.value)}
        onBlur={() => context.touch(pointer)}
      >
        <option value="">{type === undefined ? trans.__('Choose a type first') : ''}</option>
        {unknown && (
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
    </Frame>
  );
}

/** The properties of a stage, drawn by the schema of its plugin; as JSON where that is not known. */
export function PluginPropertiesField(props: FieldProps): React.JSX.Element {
  const { context, id, pointer } = fieldOf(props);
  const { registry } = props;
  const plugins = usePlugins(context);
  const type = siblingOf(context, pointer, 'type');
  const name = siblingOf(context, pointer, 'plugin');
  const plugin = plugins?.find(one => one.type === type && one.name === name);
  const [schema, ui] = React.useMemo(() => {
    if (!plugin) {
      return [null, {}];
    }
    const part = partSchema(plugin.schema);
    return [part, partUi(part, rendererNames(registry.fields, registry.widgets))];
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
