/** The endings of files: names differ in them least, so they are cut first. */
const EXTENSION =
  /(?:\.(?:arrow|avro|bz2|csv|feather|gz|h5|hdf5|ipynb|joblib|jsonl?|ndjson|npy|npz|orc|parquet|pdf|pickle|pkl|png|py|sql|svg|tsv|txt|xlsx?|xml|zip|zst))+$/i;
/** How many letters of the end of a name are kept the longest. */
const TAIL_LETTERS = 5;
/** Shorter words are not cut in their middle. */
const MIN_LETTERS = 10;
const ELLIPSIS = '…';

/** A name in parts. If room is missing, the extension is cut first, then the end of the head, then the start of the tail. */
interface INameParts {
  head: string;
  /** The end of a long word; empty if the last word of the name is short. */
  tail: string;
  extension: string;
}

/** Splits a name into the parts in which it is cut, so that names which only differ in their ends stay different. */
export function splitName(name: string): INameParts {
  const extension = EXTENSION.exec(name)?.[0] ?? '';
  const stem = [...name.slice(0, name.length - extension.length)];
  const word = stem.length - 1 - stem.lastIndexOf(' ');
  const end = word < MIN_LETTERS ? stem.length : stem.length - TAIL_LETTERS;
  return { head: stem.slice(0, end).join(''), tail: stem.slice(end).join(''), extension };
}

/** Returns `count` letters of a name, with an ellipsis wherever others are left out. */
export function shortenName(name: string, count: number): string {
  const parts = splitName(name);
  const [head, tail, extension] = [[...parts.head], [...parts.tail], [...parts.extension]];
  const start = head.slice(0, Math.max(0, count - tail.length));
  const end = tail.slice(Math.max(0, tail.length - count));
  const ending = extension.slice(0, Math.max(0, count - head.length - tail.length));
  const gap = start.length < head.length ? ELLIPSIS : '';
  const isEndCut = ending.length < extension.length && (gap === '' || end.length > 0);
  return [...start, gap, ...end, ...ending, isEndCut ? ELLIPSIS : ''].join('');
}
