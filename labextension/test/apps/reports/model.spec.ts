import { describe, expect, it } from 'vitest';
import { formatDuration, formatValue } from '../../../apps/reports/format';
import { ReportsModel } from '../../../apps/reports/model';
import { buildDefinition, buildForm, NEW_FORM } from '../../../apps/reports/report-form';

const REPORT = { rows: [], columns: [], summary: { runs: 3 } };
const SAVED = { id: 'd1', nextMs: null, definition: buildDefinition({ ...NEW_FORM, name: 'Failures', users: 'ada' }) };

/** An application that answers from a table, and records the calls. */
class App {
  readonly calls: string[] = [];
  readonly bodies: unknown[] = [];

  constructor(private _answers: Record<string, unknown> = {}) {}

  readonly call = (method: string, path: string, body?: unknown): Promise<unknown> => {
    this.calls.push(`${method} ${path.replace('/v1/reports', '')}`);
    this.bodies.push(body);
    const answer = this._answers[this.calls.at(-1)!];
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
}

function createModel(answers: Record<string, unknown> = {}): { app: App; model: ReportsModel } {
  const app = new App({
    'POST /query': REPORT,
    'POST /runs': { runs: [{ run: 'r1' }] },
    'GET /definitions': { definitions: [SAVED] },
    'GET /definitions/d1/reports': { reports: [{ number: 4 }] },
    ...answers
  });
  return { app, model: new ReportsModel(app.call, new AbortController().signal) };
}

describe('reports', () => {
  it('show what the form defines', async () => {
    const { app, model } = createModel();
    model.change({ namespaces: ' sales, ops ,', statuses: ['failed'], groupBy: ['namespace', 'day'], interval: '4w' });
    await model.load();
    expect(model.state.report).toBe(REPORT);
    expect(model.state.runs).toHaveLength(1);
    expect(app.bodies[app.calls.indexOf('POST /query')]).toEqual({
      ...{ name: '', interval: { last: '4w' }, groupBy: ['namespace', 'day'], sort: 'runs', schedule: '' },
      filters: { namespaces: ['sales', 'ops'], statuses: ['failed'] }
    });
  });

  it('show why the server refuses the form', async () => {
    const refusal = Object.assign(new Error('the interval must end after its beginning'), { status: 400 });
    const { model } = createModel({ 'POST /query': refusal });
    await model.show();
    expect(model.state.problem).toBe(refusal.message);
    expect(model.state.failure).toBeNull();
  });

  it('show why the server refuses to save, beside what is saved', async () => {
    const refusal = Object.assign(new Error('the schedule must be an interval'), { status: 400 });
    const { model } = createModel({ 'POST /definitions': refusal });
    model.change({ name: 'Failures', schedule: 'every day' });
    await model.save();
    expect([model.state.saveProblem, model.state.problem]).toEqual([refusal.message, '']);
    await model.choose('');
    expect(model.state.saveProblem).toBe('');
  });

  it('are saved, chosen, generated and opened', async () => {
    const stored = { ...REPORT, groups: 9 };
    const { app, model } = createModel({
      'POST /definitions': SAVED,
      'POST /definitions/d1/run': { number: 4, status: 'succeeded' },
      'GET /definitions/d1/reports/4': stored,
      'GET /definitions/d1/reports/4?format=csv': 'a,b',
      'POST /query?format=csv': 'c,d'
    });
    await model.load();
    expect(await model.readCsv()).toBe('c,d');
    model.change({ name: 'Failures' });
    await model.save();
    expect(model.state.saved).toBe('d1');
    await model.choose('d1');
    expect(model.state.form.users).toBe('ada');
    await model.generate();
    expect([model.state.report, model.state.shownNumber]).toEqual([stored, 4]);
    expect(await model.readCsv()).toBe('a,b');
    await model.save();
    expect(app.calls).toContain('PUT /definitions/d1');
    await model.delete();
    expect(model.state.saved).toBe('');
  });

  it('have forms that keep intervals between two times', () => {
    const definition = {
      ...SAVED.definition,
      interval: { from: '2026-11-01T00:00:00.000Z', to: '2026-11-02T12:30:00.000Z' }
    };
    expect(buildDefinition(buildForm(definition))).toEqual(definition);
  });

  it('format durations and shares', () => {
    expect([5, 1_500, 300_000, 7_500_000].map(formatDuration)).toEqual(['5 ms', '1.5 s', '5 min', '2 h 5 min']);
    expect([formatValue('successShare', 0.755), formatValue('runs', null)]).toEqual(['75.5 %', '']);
  });
});
