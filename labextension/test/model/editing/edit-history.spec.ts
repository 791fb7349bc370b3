import { expect, test } from 'vitest';
import { EditHistory } from '../../../src/model/editing/edit-history';

test('successive edits of one place are one step', () => {
  const history = new EditHistory({ text: '' });
  history.record({ text: 'a' }, 'text');
  history.record({ text: 'ab' }, 'text');
  history.record({ text: 'ab', other: 1 }, '');
  expect(history.undo()).toEqual({ text: 'ab' });
  expect(history.undo()).toEqual({ text: '' });
  expect(history.undo()).toBeNull();
  expect(history.redo()).toEqual({ text: 'ab' });
  expect(history.canRedo).toBe(true);
});

test('an edit after an undo discards the steps that could be done again', () => {
  const history = new EditHistory({});
  history.record({ a: 1 }, '');
  history.undo();
  history.record({ b: 1 }, '');
  expect(history.redo()).toBeNull();
  expect(history.undo()).toEqual({});
});

test('a replaced document has no history', () => {
  const history = new EditHistory({});
  history.record({ a: 1 }, '');
  history.reset({ b: 1 });
  expect([history.canUndo, history.undo()]).toEqual([false, null]);
});
