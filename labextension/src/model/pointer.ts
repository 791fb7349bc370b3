/** JSON Pointer (RFC 6901) of one more step. */
export function stepInto(pointer: string, part: string | number): string {
  return `${pointer}/${String(part).replace(/~/g, '~0').replace(/\//g, '~1')}`;
}

/** The steps of a JSON Pointer. */
export function partsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map(part => part.replace(/~1/g, '/').replace(/~0/g, '~'));
}

/** Whether one pointer is the other one or lies below it. */
export function isWithin(pointer: string, above: string): boolean {
  return pointer === above || pointer.startsWith(`${above}/`);
}

/** The JSON Pointer of what holds a place; that of the whole for the whole. */
export function aboveOf(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')));
}

/** What is at a place of a document; undefined where there is nothing. */
export function valueAt(document: unknown, pointer: string): unknown {
  return partsOf(pointer).reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined,
    document
  );
}

/** A document with another value at a place; without the place where that is undefined. Lists stay lists. */
export function withValueAt<T>(document: T, pointer: string, value: unknown): T {
  const [part, ...further] = partsOf(pointer);
  if (part === undefined) {
    return value as T;
  }
  const changed = { ...(document as Record<string, unknown>) };
  const below = further.reduce(stepInto, '');
  changed[part] = withValueAt(changed[part], below, value);
  if (changed[part] === undefined) {
    delete changed[part];
  }
  return (Array.isArray(document) ? Object.values(changed) : changed) as T;
}
