import type { Instance } from '../../generated/api';

/** A code snippet. */
export interface ISnippet {
  title: string;
  language: string;
  code: string;
}

/** The MIME types of editors for Markdown, where code is fenced. */
const MARKDOWN = new Set(['text/x-ipythongfm', 'text/x-gfm', 'text/markdown', 'text/x-markdown', 'text/x-rst-gfm']);

/** Aliases of languages; the first name is used for comparison. */
const LANGUAGE_ALIASES = [
  ['python', 'ipython', 'python3', 'ipython3', 'py'],
  ['r', 'rsrc'],
  ['javascript', 'js', 'ecmascript'],
  ['typescript', 'ts'],
  ['shell', 'sh', 'bash', 'zsh'],
  ['c++', 'cpp', 'c++src', 'cplusplus'],
  ['markdown', 'gfm', 'ipythongfm', 'md'],
  ['sql', 'mysql', 'sqlite', 'postgresql', 'pgsql']
];

/** Converts an instance to a snippet; null if it has no code. */
export function toSnippet(instance: Pick<Instance, 'display_name' | 'metadata'>): ISnippet | null {
  const { code, language } = instance.metadata as Record<string, unknown>;
  const lines = Array.isArray(code) ? code : [code];
  if (!lines.every(line => typeof line === 'string')) {
    return null;
  }
  const languageName = typeof language === 'string' ? language : '';
  return { title: instance.display_name, language: languageName, code: lines.join('\n') };
}

/** Returns the language of a MIME type: `text/x-python` is `python`. */
function getMimeLanguage(mime: string): string {
  return (mime.split(';')[0] ?? '').trim().replace(/^[a-z]+\/(x-)?/i, '');
}

function normalizeLanguage(language: string): string {
  const lower = language.trim().toLowerCase();
  return LANGUAGE_ALIASES.find(names => names.includes(lower))?.[0] ?? lower;
}

/** Whether a MIME type is Markdown, where snippets of any language can be inserted in fences. */
function isMarkdown(mime: string): boolean {
  return MARKDOWN.has(mime);
}

/** Whether the language of a snippet differs from that of the target; false if either is unknown. */
export function differsFromTarget(snippet: ISnippet, mime: string): boolean {
  const target = getMimeLanguage(mime);
  const isUnknown = ['', 'plain', 'octet-stream'].includes(target) || snippet.language.trim() === '';
  return !isUnknown && !isMarkdown(mime) && normalizeLanguage(target) !== normalizeLanguage(snippet.language);
}

/** Formats a snippet for a target of a MIME type. */
export function formatForTarget(snippet: ISnippet, mime: string): string {
  if (!isMarkdown(mime) || normalizeLanguage(snippet.language) === 'markdown') {
    return snippet.code;
  }
  // The fence must be longer than any fence in the code.
  const longest = Math.max(2, ...[...snippet.code.matchAll(/^`{3,}/gm)].map(([fence]) => fence.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${snippet.language.trim().toLowerCase()}\n${snippet.code}\n${fence}\n`;
}
