import { CommandRegistry } from '@lumino/commands';
import { expect, test } from 'vitest';
import { CommandIDs } from '../../src/commands';
import { createOpeners } from '../../src/plugins/openers';
import { table } from '../support/server';

test('the URN of a run opens its page', () => {
  const commands = new CommandRegistry();
  const requests: unknown[] = [];
  commands.addCommand(CommandIDs.openRun, { execute: args => void requests.push(['run', args['urn']]) });
  commands.addCommand(CommandIDs.openEntity, { execute: args => void requests.push(['entity', args['urn']]) });
  const { openEntity } = createOpeners(commands);
  openEntity('urn:li:dataProcessInstance:r1');
  openEntity(table('flights'));
  expect(requests).toEqual([
    ['run', 'urn:li:dataProcessInstance:r1'],
    ['entity', table('flights')]
  ]);
});

test('the URN of an instance opens its editor', () => {
  const commands = new CommandRegistry();
  const requests: unknown[] = [];
  commands.addCommand(CommandIDs.openInstance, { execute: args => void requests.push(args) });
  const openers = createOpeners(commands);
  openers.openInstance('urn:li:instance:(code-snippets,read_a_table)');
  openers.openInstance(table('flights'));
  expect(requests).toEqual([{ space: 'code-snippets', name: 'read_a_table' }]);
});
