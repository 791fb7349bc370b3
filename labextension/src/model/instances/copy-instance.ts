import type { Instance, InstanceEdit } from '../../generated/api';
import { isPlaceholder } from './secrets';

/** A copy of an instance, and whether secrets were omitted because only the server has them. */
export interface ICopy {
  document: InstanceEdit;
  omittedSecrets: boolean;
}

/** Copies an instance under another display name, from which its name is derived. */
export function copyInstance(instance: Instance, displayName: string): ICopy {
  let omittedSecrets = false;
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map(walk).filter(item => item !== undefined);
    }
    if (isPlaceholder(value)) {
      omittedSecrets = true;
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
  return { document: { display_name: displayName, schema_name, metadata, extra }, omittedSecrets };
}
