import type { Instance, InstanceEdit } from '../generated/api';
import { isPlaceholder } from './secrets';

/** A copy of an instance, and whether a secret of it had to be left out: nobody but the server has it. */
export interface ICopy {
  document: InstanceEdit;
  leftOut: boolean;
}

/** A copy under another display name; its name is made of that. */
export function copyOf(instance: Instance, displayName: string): ICopy {
  let leftOut = false;
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map(walk).filter(item => item !== undefined);
    }
    if (isPlaceholder(value)) {
      leftOut = true;
      return undefined;
    }
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    const members = Object.entries(value).map(([name, member]) => [name, walk(member)] as const);
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  };
  const { schema_name } = instance;
  const metadata = walk(instance.metadata) as InstanceEdit['metadata'];
  const extra = walk(instance.extra) as InstanceEdit['metadata'];
  return { document: { display_name: displayName, schema_name, metadata, extra }, leftOut };
}
