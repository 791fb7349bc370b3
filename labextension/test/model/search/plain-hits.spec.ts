import { expect, test } from 'vitest';
import { PlainTextConverter } from '../../../src/model/plain-text';
import { toPlainHits } from '../../../src/model/search/plain-hits';
import { hit } from '../../support/server';

const MARKDOWN = '# Delays\n\nThe **daily** delays of [FAA](https://faa.test)';
const HTML = '<h1>Delays</h1>\n<p>The <strong>daily</strong> delays of <a href="https://faa.test">FAA</a></p>';

/** What JupyterLab's parser returns for the text. */
const PARSER = { render: (text: string) => Promise.resolve(text === MARKDOWN ? HTML : `<p>${text}</p>`) };

test('descriptions of hits are shown without markup, with their highlights', async () => {
  const parts = [
    { text: '# Delays\n\nThe **', highlighted: false },
    { text: 'daily', highlighted: true },
    { text: '** delays of [FAA](https://faa.test)', highlighted: false }
  ];
  const found = { ...hit('a', [{ key: 'description', value: MARKDOWN, scope: 'USER', parts }]), description: MARKDOWN };
  const [plain] = await toPlainHits([found], new PlainTextConverter(PARSER));
  expect(plain?.description).toBe('Delays The daily delays of FAA');
  expect(plain?.matches[0]?.parts).toEqual([
    { text: 'Delays The ', highlighted: false },
    { text: 'daily', highlighted: true },
    { text: ' delays of FAA', highlighted: false }
  ]);
  const [same] = await toPlainHits([found], new PlainTextConverter(null));
  expect(same).toBe(found);
});

test('scripts in a description are text that is not shown', async () => {
  const parser = { render: () => Promise.resolve('<p>ok<img src=x onerror="window.hacked = 1"></p>') };
  expect(await new PlainTextConverter(parser).convert('x')).toBe('ok');
  expect(document.querySelector('img')).toBeNull();
});
