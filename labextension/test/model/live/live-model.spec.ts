import { expect, test } from 'vitest';
import type { Change } from '../../../src/generated/api';
import type { ILiveState } from '../../../src/model/live/live-model';
import { LiveModel } from '../../../src/model/live/live-model';
import { CatalogProblem } from '../../../src/model/problem';
import { FakeFeed } from '../../support/feed';
import { waitUntil } from '../../support/wait-until';

interface IWord extends ILiveState {
  word: string;
}

/** A model of a text; the test gives the answers. */
class Word extends LiveModel<IWord> {
  readonly questions: { answer: (word: string) => void; fail: (reason: unknown) => void; signal: AbortSignal }[] = [];

  constructor(fakeFeed: FakeFeed | null = null) {
    super(fakeFeed?.feed ?? null, { word: '', busy: false, problem: null });
  }

  protected override load(signal: AbortSignal): Promise<Partial<IWord>> {
    return new Promise((resolve, fail) => {
      this.questions.push({ answer: word => resolve({ word }), fail, signal });
    });
  }

  protected override onChanges(changes: readonly Change[]): void {
    if (changes.some(change => change.name === 'mine')) {
      this.scheduleRefresh(0);
    }
  }
}

test('showing loads once and reports busy', async () => {
  const model = new Word();
  model.show();
  model.show();
  expect(model.questions.length).toBe(1);
  expect(model.state.busy).toBe(true);
  model.questions[0]?.answer('yes');
  await waitUntil(() => !model.state.busy);
  expect(model.state).toEqual({ word: 'yes', busy: false, problem: null });
});

test('only the answer to the newest request is used', async () => {
  const model = new Word();
  const old = model.refresh();
  const young = model.refresh();
  expect(model.questions.map(question => question.signal.aborted)).toEqual([true, false]);
  model.questions[1]?.answer('young');
  expect(await young).toBe(true);
  model.questions[0]?.answer('old');
  expect(await old).toBe(false);
  expect(model.state.word).toBe('young');
});

test('a failure becomes a problem until the next answer', async () => {
  const model = new Word();
  const first = model.refresh();
  model.questions[0]?.fail(new CatalogProblem('store', 'away'));
  expect(await first).toBe(false);
  expect(model.state).toMatchObject({ busy: false, problem: { kind: 'store' } });
  const second = model.refresh();
  model.questions[1]?.answer('back');
  expect(await second).toBe(true);
  expect(model.state.problem).toBeNull();
});

test('only relevant changes reload the state', async () => {
  const fakeFeed = new FakeFeed();
  const model = new Word(fakeFeed);
  model.show();
  model.questions[0]?.answer('one');
  await waitUntil(() => fakeFeed.holders === 1);
  fakeFeed.emit('other');
  await new Promise(resolve => setTimeout(resolve, 20));
  expect(model.questions.length).toBe(1);
  fakeFeed.emit('mine');
  await waitUntil(() => model.questions.length === 2);
  model.dispose();
});

test('a hidden model takes the answer but does not subscribe', async () => {
  const fakeFeed = new FakeFeed();
  const model = new Word(fakeFeed);
  model.show();
  model.hide();
  model.questions[0]?.answer('late');
  await waitUntil(() => model.state.word === 'late');
  expect(fakeFeed.holders).toBe(0);
});

test('a disposed model neither loads nor changes nor signals', async () => {
  const fakeFeed = new FakeFeed();
  const model = new Word(fakeFeed);
  let messages = 0;
  model.changed.connect(() => (messages += 1));
  const requests = model.refresh();
  messages = 0;
  model.dispose();
  model.questions[0]?.answer('late');
  expect(await requests).toBe(false);
  model.show();
  expect(model.questions.length).toBe(1);
  expect([model.state.word, messages, fakeFeed.holders]).toEqual(['', 0, 0]);
});
