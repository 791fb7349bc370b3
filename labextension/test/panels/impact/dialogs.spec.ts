import { nullTranslator } from '@jupyterlab/translation';
import { afterEach, expect, test } from 'vitest';
import { Catalog } from '../../../src/api/client';
import type { ColumnImpact } from '../../../src/generated/api';
import { askForColumnName, confirmColumnRemoval, showColumnImpact } from '../../../src/panels/impact';
import { formatColumnImpactCsv } from '../../../src/panels/impact/model';
import { column, FakeServer, table } from '../../support/server';
import { waitUntil } from '../../support/wait-until';

const URN = column('staff', 'pay');
const PROGRAM = 'urn:li:dataJob:(urn:li:dataFlow:(colophon,etl,default),workflows.load)';
const affected = { dataset: table('report'), namespace: 'hr', name: 'report', level: 1, program: PROGRAM };
const IMPACT: ColumnImpact = {
  urn: URN,
  levels: 20,
  columns: [
    {
      ...affected,
      urn: column('report', 'total'),
      column: 'total',
      dependency: 'data',
      transformation: 'aggregation'
    },
    { ...affected, urn: column('report', 'city'), column: 'city', dependency: 'control', transformation: 'filter' }
  ],
  mayUse: [{ urn: table('copy'), type: 'dataset', namespace: 'hr', name: '=copy' }],
  truncated: false
};

let opened: string[] = [];

function options(impact: ColumnImpact = IMPACT): Parameters<typeof showColumnImpact>[0] {
  const server = new FakeServer()
    .on('GET', 'lineage/column-impact', { body: impact })
    .on('POST', 'entities/display-names', { body: { displayNames: { [PROGRAM]: 'Load salaries' } } });
  return {
    catalog: new Catalog(server.settings),
    urn: URN,
    open: urn => opened.push(urn),
    trans: nullTranslator.load('')
  };
}

const find = <E extends HTMLElement>(selector: string): E | null => document.querySelector<E>(`.jp-Dialog ${selector}`);

function press(label: string): void {
  const button = [...document.querySelectorAll<HTMLElement>('.jp-Dialog button')].find(
    ({ textContent }) => textContent === label
  );
  button?.click();
}

async function waitForLists(): Promise<void> {
  await waitUntil(() => find('.jp-Colophon-affected') !== null);
}

afterEach(() => {
  opened = [];
  document.body.replaceChildren();
});

test('what depends on a column is listed by kind of dependency', async () => {
  const done = showColumnImpact(options());
  await waitForLists();
  const lists = [...document.querySelectorAll('.jp-Dialog .jp-Colophon-affected')];
  expect(lists.map(list => [list.getAttribute('aria-label'), list.textContent?.trim()])).toEqual([
    ['Its values flow into', 'report.total by Load salaries'],
    ['Filtered, joined or grouped by it', 'report.city by Load salaries'],
    ['May use it: their columns are unknown', '=copy hr']
  ]);
  press('report.total');
  await done;
  expect(opened).toEqual([column('report', 'total')]);
});

test('a column on which nothing depends', async () => {
  const done = showColumnImpact(options({ ...IMPACT, columns: [], mayUse: [] }));
  await waitUntil(() => find('[role="status"]')?.textContent === 'Nothing in the catalog depends on it.');
  press('Close');
  await done;
});

test('a column is only removed after a confirmation that shows what depends on it', async () => {
  const cancelled = confirmColumnRemoval(options());
  await waitForLists();
  press('Cancel');
  expect(await cancelled).toBe(false);
  const confirmed = confirmColumnRemoval(options());
  await waitForLists();
  press('Remove');
  expect(await confirmed).toBe(true);
});

test('a new name is asked for beside what depends on the column', async () => {
  const renamed = askForColumnName(options(), 'pay');
  await waitForLists();
  const input = find<HTMLInputElement>('input')!;
  expect(input.value).toBe('pay');
  const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!;
  setValue.call(input, ' salary ');
  input.dispatchEvent(new Event('input', { bubbles: true }));
  press('Rename');
  expect(await renamed).toBe('salary');
  const unchanged = askForColumnName(options(), 'pay');
  await waitForLists();
  press('Rename');
  expect(await unchanged).toBeNull();
});

test('the lists are exported as CSV that a spreadsheet does not run', () => {
  expect(formatColumnImpactCsv(IMPACT).split('\r\n')).toEqual([
    'dependency,type,namespace,name,column,level,transformation,program,urn',
    `data,schemaField,hr,report,total,1,aggregation,"${PROGRAM}","${column('report', 'total')}"`,
    `control,schemaField,hr,report,city,1,filter,"${PROGRAM}","${column('report', 'city')}"`,
    `unknown,dataset,hr,'=copy,,,,,"${table('copy')}"`,
    ''
  ]);
});
