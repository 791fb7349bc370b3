import type { TranslationBundle } from '@jupyterlab/translation';

/** Formats a number of bytes. */
export function formatBytes(bytes: number, trans: TranslationBundle): string {
  if (bytes < 1024) {
    return trans._n('%1 byte', '%1 bytes', bytes);
  }
  const kibibytes = bytes / 1024;
  return kibibytes < 1024
    ? trans.__('%1 KiB', kibibytes.toFixed(1))
    : trans.__('%1 MiB', (kibibytes / 1024).toFixed(1));
}
