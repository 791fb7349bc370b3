/** Quotes a value for CSV; a spreadsheet must not run it as a formula. */
function quoteCsv(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

/** Formats lines of values as CSV. */
export function formatCsv(lines: readonly (readonly string[])[]): string {
  return lines.map(line => `${line.map(quoteCsv).join(',')}\r\n`).join('');
}
