import { nullTranslator } from '@jupyterlab/translation';
import { expect, test } from 'vitest';
import { getRunName, getRunPlace } from '../../src/components/run-name';
import type { Run } from '../../src/generated/api';
import { runOf, table } from '../support/server';

const trans = nullTranslator.load('');
const RUN = runOf('b1');

function write(name: string): Run['accesses'][number] {
  const { start: first } = RUN;
  return { data: table(name), mode: 'write', component: '', first, last: first, statements: [] };
}

test('a run is named by its step, comment, the title of its program or written tables, in this order', () => {
  const written: Run = { ...RUN, accesses: [{ ...write('a'), mode: 'read' }, write('b'), write('c')] };
  const facts = { ...RUN.facts, step: 'Clean', comment: 'Drop duplicates', executionCount: 9 };
  const nameOf = (part: Run['facts'], run: Run = written): string => getRunName({ ...run, facts: part }, trans);
  expect(nameOf(facts)).toBe('Clean');
  expect(nameOf({ ...facts, step: '' })).toBe('Drop duplicates');
  expect(nameOf({ ...facts, step: '', comment: '' }, { ...written, title: 'Load' })).toBe('Load');
  expect(nameOf({ ...RUN.facts, executionCount: 9 })).toBe('→ flights.b, flights.c');
  expect(nameOf(RUN.facts, { ...written, accesses: [...written.accesses, write('d')] })).toMatch(/^→ .*, …$/);
  const variable = {
    ...write('x'),
    data: 'urn:li:dataset:(urn:li:dataPlatform:notebook,default/a/nb.ipynb#b1#orders,PROD)'
  };
  expect(nameOf(RUN.facts, { ...written, accesses: [...written.accesses, variable] })).toBe('→ flights.b, flights.c');
  expect(nameOf(RUN.facts, { ...written, accesses: [variable] })).toBe('→ orders');
  expect(nameOf({ ...RUN.facts, executionCount: 9 }, RUN)).toBe('Cell [9]');
  expect(nameOf(RUN.facts, RUN)).toBe('Cell b1');
  expect(nameOf({ notebook: 'flights.ipynb' }, RUN)).toBe('flights.ipynb');
  expect(nameOf({}, RUN)).toBe('flights.ipynb#b1');
});

test('the place of a run is that of its program, which a renamed notebook changes', () => {
  const facts = { ...RUN.facts, notebook: 'old/Untitled.ipynb', executionCount: 9 };
  expect(getRunPlace({ ...RUN, facts })).toBe('flights.ipynb [9]');
  expect(getRunPlace(RUN)).toBe('flights.ipynb');
  expect(getRunPlace({ ...RUN, facts: {} })).toBe('');
});
