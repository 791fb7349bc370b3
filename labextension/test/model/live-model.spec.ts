import { expect, test } from 'vitest';
import type { Change } from '../../src/generated/api';
import type { ILiveState } from '../../src/model/live-model';
import { LiveModel } from '../../src/model/live-model';
import { CatalogProblem } from '../../src/model/problem';
import { SpokenFeed } from '../support/feed';
import { until } from '../support/waiting';

interface IWord extends ILiveState {
  word: string;
}

/** Shows a word; the test gives the answers. */
class Word extends LiveModel<IWord> {
  readonly questions: { answer: (word: string) => void; fail: (reason: unknown) => void; signal: AbortSignal }[] = [];

  constructor(spoken: SpokenFeed | null = null) {
    super(spoken?.feed ?? null, { word: '', busy: false, problem: null });
  }

  protected override ask(signal: AbortSignal): Promise<Partial<IWord>> {
    return new Promise((resolve, fail) => {
      this.questions.push({ answer: word => resolve({ word }), fail, signal });
    });
  }

  protected override heard(changes: readonly Change[]): void {
    if (changes.some(change => change.name === 'mine')) {
      this.refreshSoon(0);
    }
  }
}

test('it asks when it is shown, once, and says that it waits', async () => {
  const model = new Word();
  model.show();
  model.show();
  expect(model.questions.length).toBe(1);
  expect(model.state.busy).toBe(true);
  model.questions[0]?.answer('yes');
  await until(() => !model.state.busy);
  expect(model.state).toEqual({ word: 'yes', busy: false, problem: null });
});

test('of two questions the newer counts, whichever is answered first', async () => {
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

test('a failure is a problem beside what is shown, and goes with the next answer', async () => {
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

test('only changes that concern it make it ask again', async () => {
  const spoken = new SpokenFeed();
  const model = new Word(spoken);
  model.show();
  model.questions[0]?.answer('one');
  await until(() => spoken.holders === 1);
  spoken.tell('other');
  await new Promise(resolve => setTimeout(resolve, 20));
  expect(model.questions.length).toBe(1);
  spoken.tell('mine');
  await until(() => model.questions.length === 2);
  model.dispose();
});

test('hidden before its answer came, it shows the answer and listens to nothing', async () => {
  const spoken = new SpokenFeed();
  const model = new Word(spoken);
  model.show();
  model.hide();
  model.questions[0]?.answer('late');
  await until(() => model.state.word === 'late');
  expect(spoken.holders).toBe(0);
});

test('disposed, it asks nothing, changes nothing and tells nobody', async () => {
  const spoken = new SpokenFeed();
  const model = new Word(spoken);
  let told = 0;
  model.changed.connect(() => (told += 1));
  const asked = model.refresh();
  told = 0;
  model.dispose();
  model.questions[0]?.answer('late');
  expect(await asked).toBe(false);
  model.show();
  expect(model.questions.length).toBe(1);
  expect([model.state.word, told, spoken.holders]).toEqual(['', 0, 0]);
});
