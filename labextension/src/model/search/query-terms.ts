/** A term of a query as it was typed. */
export interface IQueryTerm {
  raw: string;
  /** Its position in the text. */
  start: number;
  end: number;
  /** The key in front of the first separator; null for a bare word. */
  key: string | null;
  /** The value or the word, without quotes. */
  value: string;
}

/** As the server splits a query (spec SEARCH-1, SEARCH-2). */
const TERM = /(?:"[^"]*"?|[^\s"])+/g;
const SEPARATOR = /[:=]/;

/** Splits a query into its terms. */
export function parseTerms(text: string): IQueryTerm[] {
  return [...text.matchAll(TERM)].map(match => {
    const plain = match[0].replace(/"/g, '');
    const separator = plain.search(SEPARATOR);
    const key = separator > 0 ? plain.slice(0, separator).trim() : '';
    const place = { raw: match[0], start: match.index, end: match.index + match[0].length };
    return key === '' ? { ...place, key: null, value: plain } : { ...place, key, value: plain.slice(separator + 1) };
  });
}

/** Returns a query without one of its terms. */
export function removeTerm(text: string, term: IQueryTerm): string {
  return `${text.slice(0, term.start).trimEnd()} ${text.slice(term.end).trimStart()}`.trim();
}

/** Returns a word or value as a term that is not split. */
export function quoteTerm(text: string): string {
  return /\s/.test(text) ? `"${text}"` : text;
}
