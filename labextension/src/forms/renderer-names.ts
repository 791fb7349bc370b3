import type { RegistryFieldsType, RegistryWidgetsType, RJSFSchema } from '@rjsf/utils';
import { hasWidget } from '@rjsf/utils';
import type { IRendererNames } from '../model/ui-schema';

/** Tells which renderers a form has, for the annotations of its schema. */
export function rendererNames(fields: RegistryFieldsType, widgets: RegistryWidgetsType): IRendererNames {
  return {
    hasField: name => Object.hasOwn(fields, name),
    hasWidget: (name, part) => Object.hasOwn(widgets, name) || hasWidget(part as RJSFSchema, name, widgets)
  };
}
