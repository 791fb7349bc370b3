const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
const SHARE = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

/** Formats a size: "3.2 MB". */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), BYTE_UNITS.length - 1);
  return `${(bytes / 1000 ** power).toLocaleString(undefined, { maximumFractionDigits: 1 })} ${BYTE_UNITS[power]}`;
}

/** Formats a share from 0 to 1 as a percentage. */
export function formatShare(share: number): string {
  return SHARE.format(share);
}
