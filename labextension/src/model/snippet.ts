import type { Instance } from '../generated/api';

/** A piece of code that is kept to be used again. */
export interface ISnippet {
  title: string;
  language: string;
  code: string;
}

/** How an editor's MIME types say that its text is Markdown, in which code stands between fences. */
const MARKDOWN = new Set(['text/x-ipythongfm', 'text/x-gfm', 'text/markdown', 'text/x-markdown', 'text/x-rst-gfm']);

/** Names under which one language goes; the first is what the others are compared as. */
const SAME = [
  ['python', 'ipython', 'python3', 'ipython3', 'py'],
  ['r', 'rsrc'],
  ['javascript', 'js', 'ecmascript'],
  ['typescript', 'ts'],
  ['shell', 'sh', 'bash', 'zsh'],
  ['c++', 'cpp', 'c++src', 'cplusplus'],
  ['markdown', 'gfm', 'ipythongfm', 'md'],
  ['sql', 'mysql', 'sqlite', 'postgresql', 'pgsql']
];

/** The code of an instance; null where it has none: it is no snippet then. */
export function snippetOf(instance: Pick<Instance, 'display_name' | 'metadata'>): ISnippet | null {
  const { code, language } = instance.metadata as Record<string, unknown>;
  const lines = Array.isArray(code) ? code : [code];
  if (!lines.every(line => typeof line === 'string')) {
    return null;
  }
  const word = typeof language === 'string' ? language : '';
  return { title: instance.display_name, language: word, code: lines.join('\n') };
}

/** What a MIME type says of the language: `text/x-python` is `python`. */
function languageOfMime(mime: string): string {
  return (mime.split(';')[0] ?? '').trim().replace(/^[a-z]+\/(x-)?/i, '');
}

function plain(language: string): string {
  const lower = language.trim().toLowerCase();
  return SAME.find(names => names.includes(lower))?.[0] ?? lower;
}

/** Whether text of this MIME type is Markdown: there a snippet of any language stands, between fences. */
function isMarkdown(mime: string): boolean {
  return MARKDOWN.has(mime);
}

/** Whether a snippet's language is not that of the place it is to go to; unsure is no. */
export function clashes(snippet: ISnippet, mime: string): boolean {
  const there = languageOfMime(mime);
  const unsaid = ['', 'plain', 'octet-stream'].includes(there) || snippet.language.trim() === '';
  return !unsaid && !isMarkdown(mime) && plain(there) !== plain(snippet.language);
}

/** The text to put into a place of this MIME type. */
export function textFor(snippet: ISnippet, mime: string): string {
  if (!isMarkdown(mime) || plain(snippet.language) === 'markdown') {
    return snippet.code;
  }
  // A fence has to be longer than any in the code.
  const longest = Math.max(2, ...[...snippet.code.matchAll(/^`{3,}/gm)].map(([fence]) => fence.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${snippet.language.trim().toLowerCase()}\n${snippet.code}\n${fence}\n`;
}
