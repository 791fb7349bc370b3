import { beforeEach, expect, test } from 'vitest';
import { DraftStorage } from '../../../src/model/editing/drafts';

const DRAFT = { draft: { display_name: 'mine' }, version: 3, time: '2026-11-20T12:00:00.000Z' };

beforeEach(() => window.localStorage.clear());

test('a draft is restored for its own server only', () => {
  const drafts = new DraftStorage(window.localStorage, 'http://one/');
  drafts.write('a', DRAFT);
  expect(drafts.read('a')).toEqual(DRAFT);
  expect(new DraftStorage(window.localStorage, 'http://two/').read('a')).toBeNull();
  drafts.remove('a');
  expect(drafts.read('a')).toBeNull();
});

test('a full or forbidden storage loses only the draft', () => {
  const full = {
    ...{ length: 0, key: () => null, getItem: () => null, removeItem: () => undefined },
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError');
    }
  };
  expect(() => new DraftStorage(full, '').write('a', DRAFT)).not.toThrow();
  const none = new DraftStorage(null, '');
  none.write('a', DRAFT);
  expect(none.read('a')).toBeNull();
});

test('damaged and expired drafts are deleted', () => {
  const drafts = new DraftStorage(window.localStorage, 's');
  drafts.write('new', DRAFT);
  drafts.write('old', { ...DRAFT, time: '2026-01-01T00:00:00.000Z' });
  window.localStorage.setItem('jupyter-colophon:draft:s:torn', '{"draft":');
  window.localStorage.setItem('another', 'thing');
  drafts.deleteExpired(Date.parse('2026-11-21T12:00:00.000Z'));
  expect([drafts.read('new') !== null, drafts.read('old'), drafts.read('torn')]).toEqual([true, null, null]);
  expect(window.localStorage.getItem('another')).toBe('thing');
  expect(window.localStorage.length).toBe(2);
});
