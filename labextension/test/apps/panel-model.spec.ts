import { describe, expect, it } from 'vitest';
import { PanelModel } from '../../apps/panel-model';

class Refusal extends Error {
  constructor(readonly status: number) {
    super(`refused with ${status}`);
  }
}

/** Loads a value that the test provides. */
class ValueModel extends PanelModel<{ value: string }> {
  constructor(
    private _read: () => Promise<string>,
    signal = new AbortController().signal
  ) {
    super({ value: '' }, signal);
  }

  load = (): Promise<boolean> => this.run(this._update);
  send = (): Promise<string> => this.submit(this._update);

  private _update = async (): Promise<void> => this.setState({ value: await this._read() });
}

describe('a model of a panel', () => {
  it('is busy during a call, and calls its listeners until they unsubscribe', async () => {
    const model = new ValueModel(() => Promise.resolve('loaded'));
    const seen: string[] = [];
    const unsubscribe = model.subscribe(() => seen.push(`${model.state.busy} ${model.state.value}`));
    expect(await model.load()).toBe(true);
    expect(seen).toEqual(['true ', 'true loaded', 'false loaded']);
    unsubscribe();
    await model.load();
    expect(seen).toHaveLength(3);
  });

  it('keeps a failure until it is tried again', async () => {
    const outcomes = [Promise.reject(new Error('away')), Promise.resolve('loaded')];
    const model = new ValueModel(() => outcomes.shift()!);
    expect(await model.load()).toBe(false);
    expect(model.state).toMatchObject({ busy: false, failure: { message: 'away' } });
    const loaded = new Promise<void>(resolve => model.subscribe(() => model.state.value && resolve()));
    model.state.failure!.retry();
    await loaded;
    expect(model.state).toMatchObject({ value: 'loaded', failure: null });
  });

  it('returns what the server refuses, and keeps other failures', async () => {
    const refused = new ValueModel(() => Promise.reject(new Refusal(400)));
    expect(await refused.send()).toBe('refused with 400');
    expect(refused.state.failure).toBeNull();
    const failed = new ValueModel(() => Promise.reject(new Refusal(500)));
    expect(await failed.send()).toBe('');
    expect(failed.state.failure?.message).toBe('refused with 500');
  });

  it('does not change after its panel was closed', async () => {
    const controller = new AbortController();
    const model = new ValueModel(() => Promise.resolve('late'), controller.signal);
    const loading = model.load();
    controller.abort();
    await loading;
    expect(model.state.value).toBe('');
  });
});
