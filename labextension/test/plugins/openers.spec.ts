import { CommandRegistry } from '@lumino/commands';
import { expect, test } from 'vitest';
import { CommandIDs } from '../../src/commands';
import { openersOf } from '../../src/plugins/openers';
import { table } from '../support/server';

test('an instance is opened by its schemaspace and name, and nothing else is', () => {
  const commands = new CommandRegistry();
  const asked: unknown[] = [];
  commands.addCommand(CommandIDs.openInstance, { execute: args => void asked.push(args) });
  const openers = openersOf(commands);
  openers.openInstance('urn:li:instance:(code-snippets,read_a_table)');
  openers.openInstance(table('flights'));
  expect(asked).toEqual([{ space: 'code-snippets', name: 'read_a_table' }]);
});
