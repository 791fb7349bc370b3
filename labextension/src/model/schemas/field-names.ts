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

/** Names a location for readers: without containers, positions and internal members. */
export const nameField: NamePlace = pointer => {
  const steps = splitPointer(pointer);
  if (steps.some(step => step.startsWith('$') || INTERNAL.has(step))) {
    return null;
  }
  const named = steps.filter((step, index) => !(index === 0 && CONTAINERS.has(step)) && !/^(\d+|-)$/.test(step));
  return named.join(' › ');
};
