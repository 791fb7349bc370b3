/** Appends a step to a JSON Pointer (RFC 6901). */
export function appendStep(pointer: string, step: string | number): string {
  return `${pointer}/${String(step).replace(/~/g, '~0').replace(/\//g, '~1')}`;
}

/** Returns the steps of a JSON Pointer. */
export function splitPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map(step => step.replace(/~1/g, '/').replace(/~0/g, '~'));
}

/** Whether a pointer is equal to another one or below it. */
export function isWithin(pointer: string, ancestor: string): boolean {
  return pointer === ancestor || pointer.startsWith(`${ancestor}/`);
}

/** Returns the parent of a JSON Pointer; the root is its own parent. */
export function getParentPointer(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')));
}

/** Returns the value at a location of a document; undefined if there is none. */
export function getValueAt(document: unknown, pointer: string): unknown {
  return splitPointer(pointer).reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined,
    document
  );
}

/** Returns a document with another value at a location; undefined removes it. Lists remain lists. */
export function setValueAt<T>(document: T, pointer: string, value: unknown): T {
  const [step, ...otherSteps] = splitPointer(pointer);
  if (step === undefined) {
    return value as T;
  }
  const changed = { ...(document as Record<string, unknown>) };
  const childPointer = otherSteps.reduce(appendStep, '');
  changed[step] = setValueAt(changed[step], childPointer, value);
  if (changed[step] === undefined) {
    delete changed[step];
  }
  return (Array.isArray(document) ? Object.values(changed) : changed) as T;
}
