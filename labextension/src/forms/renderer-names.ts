import type { RegistryFieldsType, RegistryWidgetsType, RJSFSchema } from '@rjsf/utils';
import { hasWidget } from '@rjsf/utils';
import type { IRendererNames } from '../model/schemas/ui-schema';

/** Creates the lookup of the renderers of a form, for the annotations of its schema. */
export function createRendererNames(fields: RegistryFieldsType, widgets: RegistryWidgetsType): IRendererNames {
  return {
    hasField: name => Object.hasOwn(fields, name),
    hasWidget: (name, part) => Object.hasOwn(widgets, name) || hasWidget(part as RJSFSchema, name, widgets)
  };
}
