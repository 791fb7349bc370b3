import { describe, expect, it } from 'vitest';
import { listColumnDirectives } from '../../../apps/dataprep/column-directives';
import type { IRowPage } from '../../../apps/dataprep/documents';
import { buildExamples, listInputs } from '../../../apps/dataprep/examples';
import { findPlace, getOffset, removePlace } from '../../../apps/dataprep/recipe-error';

function getLine(column: string, name: string): string | undefined {
  return listColumnDirectives(column).find(directive => directive.name === name)?.line;
}

describe('directives of a column', () => {
  it('quote its name as the language requires', () => {
    expect(getLine('price', 'trim')).toBe('trim :price');
    expect(getLine('unit price', 'set-type double')).toBe("set-type :'unit price' double");
    expect(getLine("it's\ta", 'drop')).toBe("drop :'it\\'s\\ta'");
    expect(getLine('my total\\', 'drop')).toBe("drop :'my total\\\\'");
    expect(getLine('a\u0085b', 'drop')).toBe("drop :'a\u0085b'");
  });
});

describe('examples of a column', () => {
  it('are offered from its different texts', () => {
    const rows = [
      ['1', 'Ada'],
      ['2', null],
      ['3', ' '],
      ['4', 'Ada'],
      ['5', 'Bob']
    ];
    const columns = ['id', 'name'].map(name => ({ name, type: 'string' }));
    const page: IRowPage = { columns, rows, rowCount: 5, nextOffset: null, rejectedCount: 0, rejected: [] };
    expect(listInputs(page, 'name')).toEqual(['Ada', 'Bob']);
  });

  it('are new texts, or the parts of a split', () => {
    const inputs = ['London UK', 'Oslo NO'];
    expect(buildExamples(inputs, ['', 'Oslo'])).toEqual([{ input: 'Oslo NO', output: 'Oslo' }]);
    expect(buildExamples(inputs, ['London | UK'])).toEqual([{ input: 'London UK', output: ['London', 'UK'] }]);
    expect(buildExamples(['a|b'], ['b|a'])).toEqual([{ input: 'a|b', output: 'b|a' }]);
  });
});

describe('an error of a recipe', () => {
  it('has a place in the text', () => {
    const place = findPlace('line 2, column 6: unknown column x');
    expect(place).toEqual({ line: 2, column: 6 });
    expect(getOffset('trim :a\ndrop :x', place!)).toBe(13);
    expect(findPlace('the recipe was changed in the meantime')).toBeNull();
  });
});

it('the message of a single line does not name its place in the recipe', () => {
  expect(removePlace('line 3, column 1: unknown column a')).toBe('unknown column a');
  expect(removePlace('the recipe has more than 500 lines')).toBe('the recipe has more than 500 lines');
});
