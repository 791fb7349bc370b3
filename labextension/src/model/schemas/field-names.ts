import type { NamePlace } from '../difference';
import { splitPointer } from './pointer';

/** Members that only contain the values of users or machines. */
const CONTAINERS = new Set(['properties', 'customProperties', 'editableSchemaFieldInfo', 'fields']);

/** Members that clients write with every version, and the key of a column, which names the location already. */
const INTERNAL = new Set([
  'auditStamp',
  'created',
  'createStamp',
  'fieldPath',
  'lastModified',
  'lastObserved',
  'updateStamp'
]);

/** Members that contain a reference, by which items of a list are identified. */
const REFERENCES = new Set(['urn', 'tag', 'owner']);

/** Names a location for readers: without containers, positions and internal members. */
export const nameField: NamePlace = pointer => {
  const steps = splitPointer(pointer);
  if (steps.some(step => step.startsWith('$') || INTERNAL.has(step))) {
    return null;
  }
  // The value repeats the reference.
  const [item, member] = steps.slice(-2);
  const shown = item?.startsWith('urn:li:') && REFERENCES.has(member ?? '') ? steps.slice(0, -2) : steps;
  const named = shown.filter((step, index) => !(index === 0 && CONTAINERS.has(step)) && !/^(\d+|-)$/.test(step));
  return named.join(' › ');
};
