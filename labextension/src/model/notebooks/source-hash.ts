/**
 * Returns the hash of a cell's source in the form of the fact `sourceHash` of runs.
 *
 * Undefined where the browser offers no cryptography: pages that are neither served over HTTPS nor from this machine.
 */
export async function hashSource(source: string): Promise<string | undefined> {
  // Absent in such pages, in spite of its type.
  const subtle = globalThis.crypto.subtle as SubtleCrypto | undefined;
  const digest = await subtle?.digest('SHA-256', new TextEncoder().encode(source));
  return digest && `sha256:${[...new Uint8Array(digest)].map(byte => byte.toString(16).padStart(2, '0')).join('')}`;
}
