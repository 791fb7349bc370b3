/** Parameters of a query; what is undefined is left out. */
export type Parameters = Record<string, string | number | boolean | undefined>;

/** A path below `/colophon/api`; every part is encoded, so a URN is one part. */
export function address(parts: readonly string[], parameters: Parameters = {}): string {
  const path = parts.map(encodeURIComponent).join('/');
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&');
  return query === '' ? path : `${path}?${query}`;
}
