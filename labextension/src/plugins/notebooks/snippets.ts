import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Clipboard, Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { copyIcon, pasteIcon } from '@jupyterlab/ui-components';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { CommandIDs } from '../../commands';
import { notifyWarning } from '../../components/notify';
import type { ISnippet } from '../../model/instances/snippet';
import { canInsertCode } from '../../notebook/application-page';
import { NotebookHistory } from '../../notebook/notebook-history';
import type { SchemaspacesModel } from '../../panels/schemaspace/model';
import type { ISchemaspaces } from '../../tokens';
import { INSTANCE_ARGUMENTS, getText } from '../arguments';
import type { IInstanceName } from '../command-targets';
import { askInstance, resolveInstance, showError } from '../command-targets';

/** The default schemaspace of snippets. */
const SNIPPETS = 'code-snippets';

/** Resolves the snippet of a command. */
class SnippetResolver {
  constructor(
    private _spaces: ISchemaspaces,
    private _model: SchemaspacesModel,
    private _trans: TranslationBundle
  ) {}

  /** Returns the snippet of the arguments, the focused one, or asks; null if the user cancels. */
  async resolve(args: ReadonlyPartialJSONObject, title: string): Promise<ISnippet | null> {
    const place = await this._resolveInstance(args, title);
    if (place === null) {
      return null;
    }
    const { toSnippet } = await import('../../model/instances/snippet');
    const snippet = toSnippet(await this._spaces.readInstance(place.space, place.name));
    if (snippet === null) {
      notifyWarning(this._trans.__('“%1” has no code.', place.name));
    }
    return snippet;
  }

  private async _resolveInstance(args: ReadonlyPartialJSONObject, title: string): Promise<IInstanceName | null> {
    const { current } = this._model.state;
    const here = args['here'] === true && current !== null && current.row.language !== null;
    const target = getText(args, 'name') !== '' || here ? resolveInstance(args, this._model) : null;
    const space = getText(args, 'space');
    return target ?? askInstance(space === '' ? SNIPPETS : space, title, this._spaces, this._trans);
  }
}

/** The schema of the arguments of a command for a snippet. */
const SNIPPET_ARGUMENTS = {
  type: 'object',
  properties: {
    space: INSTANCE_ARGUMENTS.properties.space,
    name: INSTANCE_ARGUMENTS.properties.name,
    here: { type: 'boolean', description: 'Use the focused snippet of the panel; otherwise, ask for one' }
  }
};

/** The schema of the arguments of the command that inserts code. */
const CODE_ARGUMENTS = {
  type: 'object',
  properties: {
    code: { type: 'string', description: 'The code' },
    language: { type: 'string', description: 'The language of the code, if it is known' },
    title: { type: 'string', description: 'What the code is, for messages' }
  },
  required: ['code']
};

/** Registers the commands for code snippets; returns their ids. */
export function registerSnippetCommands(
  app: JupyterFrontEnd,
  spaces: ISchemaspaces,
  model: SchemaspacesModel,
  trans: TranslationBundle
): string[] {
  const choice = new SnippetResolver(spaces, model, trans);
  const notebooks = new NotebookHistory(app.shell);
  const insert = async (snippet: ISnippet): Promise<void> => {
    const { insertSnippet } = await import('../../notebook/insert-snippet');
    await insertSnippet(app, notebooks, snippet, trans);
  };
  const createCommand = (title: string, failed: string, run: (snippet: ISnippet) => Promise<void> | void) => ({
    describedBy: { args: SNIPPET_ARGUMENTS },
    execute: async (args: ReadonlyPartialJSONObject): Promise<void> => {
      try {
        const snippet = await choice.resolve(args, title);
        if (snippet !== null) {
          await run(snippet);
        }
      } catch (reason) {
        showError(reason, failed);
      }
    }
  });
  app.commands.addCommand(CommandIDs.insertSnippet, {
    label: args => (args['here'] === true ? trans.__('Insert Snippet') : trans.__('Insert Snippet…')),
    caption: trans.__('Insert the code of a snippet at the cursor, or into a new cell'),
    icon: pasteIcon,
    isVisible: canInsertCode,
    ...createCommand(trans.__('Select the snippet to insert'), trans.__('The snippet could not be inserted.'), insert)
  });
  app.commands.addCommand(CommandIDs.insertCode, {
    label: trans.__('Insert Code'),
    caption: trans.__('Insert code at the cursor, or into a new cell'),
    icon: pasteIcon,
    describedBy: { args: CODE_ARGUMENTS },
    isEnabled: args => canInsertCode() && getText(args, 'code') !== '',
    execute: args => {
      const [title, language, code] = [getText(args, 'title'), getText(args, 'language'), getText(args, 'code')];
      return insert({ title, language, code });
    }
  });
  app.commands.addCommand(CommandIDs.copySnippet, {
    label: args => (args['here'] === true ? trans.__('Copy Code') : trans.__('Copy Snippet…')),
    caption: trans.__('Copy the code of a snippet'),
    icon: copyIcon,
    ...createCommand(trans.__('Select the snippet to copy'), trans.__('The snippet could not be copied.'), snippet => {
      Clipboard.copyToSystem(snippet.code);
      Notification.info(trans.__('Copied.'), { autoClose: 2000 });
    })
  });
  return [CommandIDs.insertSnippet, CommandIDs.copySnippet];
}
