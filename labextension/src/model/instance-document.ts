import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { Instance, InstanceEdit } from '../generated/api';

/** An instance as its schema sees it: what is edited in a form. Its name is no part of it, for it never changes. */
export function documentOf(instance: Instance): ReadonlyJSONObject {
  const { schema_name, display_name, metadata, extra } = instance;
  return { ...extra, schema_name, display_name, metadata };
}

/** A document as it is sent: members that are none of an instance's own go into `extra`. */
export function editOf(document: ReadonlyJSONObject, name: string): InstanceEdit {
  const { name: wished, schema_name, display_name, metadata, ...extra } = document;
  const named = name !== '' ? name : typeof wished === 'string' ? wished.trim() : '';
  return {
    ...(named === '' ? {} : { name: named }),
    schema_name: schema_name as string,
    ...(typeof display_name === 'string' ? { display_name } : {}),
    metadata: metadata ?? {},
    ...(Object.keys(extra).length > 0 ? { extra } : {})
  };
}
