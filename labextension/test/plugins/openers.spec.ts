import { CommandRegistry } from '@lumino/commands';
import { expect, test } from 'vitest';
import { CommandIDs } from '../../src/commands';
import { openersOf } from '../../src/plugins/openers';
import { table } from '../support/server';

test('a run has a page of its own, whoever opens it by its URN', () => {
  const commands = new CommandRegistry();
  const asked: unknown[] = [];
  commands.addCommand(CommandIDs.openRun, { execute: args => void asked.push(['run', args['urn']]) });
  commands.addCommand(CommandIDs.openEntity, { execute: args => void asked.push(['entity', args['urn']]) });
  const { openEntity } = openersOf(commands);
  openEntity('urn:li:dataProcessInstance:r1');
  openEntity(table('flights'));
  expect(asked).toEqual([
    ['run', 'urn:li:dataProcessInstance:r1'],
    ['entity', table('flights')]
  ]);
});

test('an instance is opened by its schemaspace and name, and nothing else is', () => {
  const commands = new CommandRegistry();
  const asked: unknown[] = [];
  commands.addCommand(CommandIDs.openInstance, { execute: args => void asked.push(args) });
  const openers = openersOf(commands);
  openers.openInstance('urn:li:instance:(code-snippets,read_a_table)');
  openers.openInstance(table('flights'));
  expect(asked).toEqual([{ space: 'code-snippets', name: 'read_a_table' }]);
});
