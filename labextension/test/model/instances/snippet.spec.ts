import { expect, test } from 'vitest';
import { differsFromTarget, toSnippet, formatForTarget } from '../../../src/model/instances/snippet';

const PYTHON = { title: 'Read', language: 'Python', code: 'import pandas\npandas.read_csv("x")' };

test('code may be a list of lines or a string', () => {
  const metadata = { language: 'Python', code: ['a', 'b'] };
  expect(toSnippet({ display_name: 'S', metadata })).toEqual({ title: 'S', language: 'Python', code: 'a\nb' });
  expect(toSnippet({ display_name: 'S', metadata: { code: 'a' } })?.code).toBe('a');
  expect(toSnippet({ display_name: 'S', metadata: {} })).toBeNull();
  expect(toSnippet({ display_name: 'S', metadata: { code: [1] } })).toBeNull();
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
])('%s in %s differs: %s', (language, mime, expected) => {
  expect(differsFromTarget({ ...PYTHON, language }, mime)).toBe(expected);
});

test('code is fenced in Markdown', () => {
  expect(formatForTarget(PYTHON, 'text/x-python')).toBe(PYTHON.code);
  expect(formatForTarget(PYTHON, 'text/x-ipythongfm')).toBe(`\`\`\`python\n${PYTHON.code}\n\`\`\`\n`);
  const fenced = { ...PYTHON, code: '````\ninner\n````' };
  expect(formatForTarget(fenced, 'text/markdown')).toBe(`\`\`\`\`\`python\n${fenced.code}\n\`\`\`\`\`\n`);
  expect(formatForTarget({ ...PYTHON, language: 'Markdown' }, 'text/markdown')).toBe(PYTHON.code);
});
