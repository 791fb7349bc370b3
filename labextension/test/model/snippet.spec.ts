import { expect, test } from 'vitest';
import { clashes, snippetOf, textFor } from '../../src/model/snippet';

const PYTHON = { title: 'Read', language: 'Python', code: 'import pandas\npandas.read_csv("x")' };

test('code is kept as lines or as one text', () => {
  const metadata = { language: 'Python', code: ['a', 'b'] };
  expect(snippetOf({ display_name: 'S', metadata })).toEqual({ title: 'S', language: 'Python', code: 'a\nb' });
  expect(snippetOf({ display_name: 'S', metadata: { code: 'a' } })?.code).toBe('a');
  expect(snippetOf({ display_name: 'S', metadata: {} })).toBeNull();
  expect(snippetOf({ display_name: 'S', metadata: { code: [1] } })).toBeNull();
});

test.each([
  ['Python', 'text/x-ipython', false],
  ['python', 'text/x-python', false],
  ['R', 'text/x-python', true],
  ['R', 'text/x-rsrc', false],
  ['SQL', 'text/x-python', true],
  ['Bash', 'text/x-sh', false],
  ['Python', 'text/plain', false],
  ['Python', '', false],
  ['Python', 'text/x-ipythongfm', false],
  ['', 'text/x-python', false]
])('%s in %s clashes: %s', (language, mime, expected) => {
  expect(clashes({ ...PYTHON, language }, mime)).toBe(expected);
});

test('in Markdown code stands between fences longer than its own', () => {
  expect(textFor(PYTHON, 'text/x-python')).toBe(PYTHON.code);
  expect(textFor(PYTHON, 'text/x-ipythongfm')).toBe(`\`\`\`python\n${PYTHON.code}\n\`\`\`\n`);
  const fenced = { ...PYTHON, code: '````\ninner\n````' };
  expect(textFor(fenced, 'text/markdown')).toBe(`\`\`\`\`\`python\n${fenced.code}\n\`\`\`\`\`\n`);
  expect(textFor({ ...PYTHON, language: 'Markdown' }, 'text/markdown')).toBe(PYTHON.code);
});
