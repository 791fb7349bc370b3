import type { ReadonlyJSONObject } from '@lumino/coreutils';
import type { Instance, InstanceEdit } from '../../generated/api';

/** Converts an instance to the document that its schema describes. It has no name, because names cannot change. */
export function toDocument(instance: Instance): ReadonlyJSONObject {
  const { schema_name, display_name, metadata, extra } = instance;
  return { ...extra, schema_name, display_name, metadata };
}

/** Converts a document for the API: unknown members become members of `extra`. */
export function toEdit(document: ReadonlyJSONObject, name: string): InstanceEdit {
  const { name: requestedName, schema_name, display_name, metadata, ...extra } = document;
  const trimmedName = name !== '' ? name : typeof requestedName === 'string' ? requestedName.trim() : '';
  return {
    ...(trimmedName === '' ? {} : { name: trimmedName }),
    schema_name: schema_name as string,
    ...(typeof display_name === 'string' ? { display_name } : {}),
    metadata: metadata ?? {},
    ...(Object.keys(extra).length > 0 ? { extra } : {})
  };
}
