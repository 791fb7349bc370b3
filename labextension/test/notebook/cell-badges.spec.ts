import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import { expect, test } from 'vitest';
import { Catalog } from '../../src/api/client';
import { CommandIDs } from '../../src/commands';
import type { Run } from '../../src/generated/api';
import { NotebookDataModel } from '../../src/model/notebooks/notebook-data';
import { CellBadges } from '../../src/notebook/cell-badges';
import { DataButton } from '../../src/notebook/data-button';
import type { INotebookWidget } from '../../src/notebook/notebooks';
import { getText, getUrn } from '../../src/plugins/arguments';
import { FakeServer, runOf, table } from '../support/server';
import { waitUntil } from '../support/wait-until';

const trans = nullTranslator.load('');

function access(name: string, mode: 'read' | 'write'): Run['accesses'][number] {
  const time = '2026-11-20T12:00:00.000Z';
  return { data: table(name), mode, component: '', first: time, last: time, statements: [] };
}

/** A notebook with three cells, without JupyterLab. */
function createNotebook(): { notebook: INotebookWidget; cellsChanged: Signal<object, void>; cells: Widget[] } {
  const cells = ['c1', 'c2', 'c3'].map(id => {
    const cell = new Widget();
    const output = document.createElement('div');
    output.className = 'jp-Cell-outputWrapper';
    cell.node.append(output);
    return Object.assign(cell, { model: { id } });
  });
  const cellsChanged = new Signal<object, void>({});
  const content = Object.assign(new Widget(), { widgets: cells, model: { cells: { changed: cellsChanged } } });
  const context = { path: 'flights.ipynb', ready: Promise.resolve() };
  return {
    notebook: Object.assign(new Widget(), { content, context }) as unknown as INotebookWidget,
    cellsChanged,
    cells
  };
}

/** The commands of the menu; `done` has what was opened. */
function createCommands(): { commands: CommandRegistry; done: string[] } {
  const commands = new CommandRegistry();
  const done: string[] = [];
  commands.addCommand(CommandIDs.openNotebookData, {
    label: args => getText(args, 'label'),
    isEnabled: args => args['urn'] !== '',
    execute: args => done.push(getUrn(args))
  });
  for (const id of [
    CommandIDs.openLineage,
    CommandIDs.openRun,
    CommandIDs.openFileMetadata,
    CommandIDs.openFileLineage
  ]) {
    commands.addCommand(id, { label: id, execute: () => undefined });
  }
  return { commands, done };
}

function listMenuItems(): string[] {
  return [...document.querySelectorAll('.lm-Menu-itemLabel')].map(item => item.textContent ?? '');
}

test('cells that read or wrote data have a badge with a menu, and the toolbar a button with a count', async () => {
  let runs: Run[] = [
    { ...runOf('c1'), accesses: [access('a', 'read'), access('b', 'write')] },
    { ...runOf('c2'), accesses: [access('a', 'read')] },
    runOf('c3')
  ];
  const server = new FakeServer().on('GET', 'cell-runs', () => ({ body: { runs, cursor: null } }));
  const model = new NotebookDataModel(new Catalog(server.settings), null, 'flights.ipynb');
  const { notebook, cells, cellsChanged } = createNotebook();
  const { commands, done } = createCommands();
  const badges = new CellBadges(notebook, model, commands, trans);
  const button = new DataButton(model, commands, trans);
  const find = (index: number): HTMLElement | null | undefined =>
    cells[index]?.node.querySelector<HTMLElement>('.jp-Colophon-cellBadge');
  model.show();
  await waitUntil(() => find(0) !== null && find(1) !== null);
  expect(find(0)?.textContent).toBe('→ flights.b');
  expect(find(0)?.title).toBe('Reads flights.a. Writes flights.b.');
  expect(find(0)?.nextElementSibling?.className).toBe('jp-Cell-outputWrapper');
  expect(find(1)?.textContent).toBe('← flights.a');
  expect(find(2)).toBeNull();
  expect(button.node.querySelector('button')?.getAttribute('aria-label')).toBe('Data of this notebook: 2');

  find(0)?.click();
  expect(listMenuItems()).toEqual([
    'flights.b (written)',
    'flights.a (read)',
    '',
    CommandIDs.openLineage,
    CommandIDs.openRun
  ]);
  document.querySelector('.lm-Menu')?.dispatchEvent(new KeyboardEvent('keydown', { keyCode: 13 }));
  await waitUntil(() => done.length > 0);
  expect(done).toEqual([table('b')]);
  await waitUntil(() => listMenuItems().length === 0);

  // A cell that was moved has a new widget, and a new run other data.
  find(1)?.remove();
  cellsChanged.emit();
  await waitUntil(() => find(1) !== null);
  runs = [{ ...runOf('c1'), urn: 'urn:li:dataProcessInstance:new', accesses: [access('c', 'write')] }];
  await model.refresh();
  expect([find(0)?.textContent, find(1)]).toEqual(['→ flights.c', null]);
  badges.dispose();
  button.dispose();
  model.dispose();
});

test('the menu of a notebook without records explains that', async () => {
  const model = new NotebookDataModel(new Catalog(new FakeServer().settings), null, 'new.ipynb');
  const { commands } = createCommands();
  const button = new DataButton(model, commands, trans);
  button.node.querySelector('button')?.click();
  expect(listMenuItems()[0]).toBe('Nothing is recorded about this notebook yet');
  expect(document.querySelector('.lm-Menu-item.lm-mod-disabled')).not.toBeNull();
  document.querySelector('.lm-Menu')?.dispatchEvent(new KeyboardEvent('keydown', { keyCode: 27 }));
  await waitUntil(() => listMenuItems().length === 0);
  button.dispose();
});
