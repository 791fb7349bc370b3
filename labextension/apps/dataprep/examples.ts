import type { IExample, IRowPage } from './documents';

/** How many values are offered for examples. */
const OFFERED = 5;

/** Returns the first different texts of a column. */
export function listInputs(page: IRowPage, column: string): string[] {
  const at = page.columns.findIndex(({ name }) => name === column);
  const texts = page.rows.map(row => row[at]).filter(value => typeof value === 'string' && value.trim() !== '');
  return [...new Set(texts as string[])].slice(0, OFFERED);
}

/** Returns the examples of the values for which something is wanted; `|` separates the parts of a split. */
export function buildExamples(inputs: readonly string[], wanted: readonly string[]): IExample[] {
  const isSplit = wanted.some((text, at) => text.includes('|') && !inputs[at]?.includes('|'));
  return inputs.flatMap((input, at) => {
    const text = wanted[at] ?? '';
    if (text === '') {
      return [];
    }
    return [{ input, output: isSplit ? text.split('|').map(part => part.trim()) : text }];
  });
}
