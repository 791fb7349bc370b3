import { expect, test } from 'vitest';
import type { Change } from '../../../src/generated/api';
import { getRunStatus, groupChanges, listAccessedData } from '../../../src/model/live/activities';
import { cell, table } from '../../support/server';

const RUN = 'urn:li:dataProcessInstance:r1';

/** A change of `name`, at a minute of the hour; the minute is also its sequence number. */
function change(name: string, minute: number, part: Partial<Change> = {}): Change {
  const time = new Date(Date.UTC(2026, 10, 24, 12, minute)).toISOString();
  const fixed = {
    type: 'dataset',
    namespace: 'flights',
    version: 1,
    via: null,
    run: null,
    previous: null,
    value: null,
    summary: ''
  };
  const described = { aspect: 'businessMetadata', operation: 'update', scope: 'USER', actor: 'ada' } as const;
  return { seq: minute, time, urn: table(name), name, ...fixed, ...described, ...part };
}

test('changes of one entity by one user within ten minutes are one activity', () => {
  const changes = [
    change('a', 20),
    change('b', 19),
    change('a', 15),
    change('a', 14, { actor: 'bob' }),
    change('a', 1)
  ];
  expect(
    groupChanges(changes).map(({ name, actor, changes: group }) => [name, actor, group.map(one => one.seq)])
  ).toEqual([
    ['a', 'ada', [20, 15]],
    ['b', 'ada', [19]],
    ['a', 'bob', [14]],
    ['a', 'ada', [1]]
  ]);
});

test('an activity that continues keeps its id and shows the latest time', () => {
  const [before] = groupChanges([change('a', 5)]);
  const [after] = groupChanges([change('a', 8), change('a', 5)]);
  expect(after?.id).toBe(before?.id);
  expect(after?.time).toBe(change('a', 8).time);
});

test('a run is one activity with its program, its status and its data', () => {
  const inRun = (minute: number, part: Partial<Change>): Change =>
    change('x', minute, { run: RUN, aspect: null, scope: 'SYSTEM', ...part });
  const access = (name: string, minute: number, mode: string): Change =>
    inRun(minute, { urn: table(name), name, operation: 'access', value: { mode } });
  const program = { urn: cell('c1'), type: 'dataJob', name: 'flights.ipynb#c1' };
  const [activity, ...others] = groupChanges([
    inRun(50, { ...program, operation: 'run-end', value: { status: 'failed' } }),
    access('b', 30, 'write'),
    access('b', 29, 'read'),
    access('a', 2, 'read'),
    inRun(1, { ...program, operation: 'run-start' })
  ]);
  expect(others).toEqual([]);
  expect(activity?.name).toBe('flights.ipynb#c1');
  expect(getRunStatus(activity!)).toBe('failed');
  const { read, written } = listAccessedData(activity!);
  expect(read.map(one => one.name)).toEqual(['a']);
  expect(written.map(one => one.name)).toEqual(['b']);
});

test('a run whose program is not loaded is named after data until it is', () => {
  const access = change('a', 3, { run: RUN, aspect: null, operation: 'access', value: { mode: 'write' } });
  const start = change('flights.ipynb#c1', 2, { run: RUN, urn: cell('c1'), aspect: null, operation: 'run-start' });
  expect(groupChanges([access])[0]?.name).toBe('a');
  expect(groupChanges([access, start])[0]?.name).toBe('flights.ipynb#c1');
});
