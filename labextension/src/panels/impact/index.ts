import { Dialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { LivePanel } from '../../components/live-panel';
import { shortenUrn } from '../../model/urns';
import type { ICatalog } from '../../tokens';
import { ColumnImpactBody } from './body';
import { ColumnImpactModel } from './model';
import { ColumnNameInput } from './name-input';

/** What a dialog about a column needs. */
export interface IColumnDialog {
  catalog: ICatalog;
  /** The URN of the column. */
  urn: string;
  /** Opens the page of an entity. */
  open: (urn: string) => void;
  trans: TranslationBundle;
}

/** The content of the dialogs: what depends on a column, and for a new name its input. */
class ColumnImpactPanel extends LivePanel<ColumnImpactModel> {
  constructor(
    model: ColumnImpactModel,
    label: string,
    private _options: Pick<IColumnDialog, 'open' | 'trans'> & { name: string | null; note: string }
  ) {
    super(model, label);
    this.addClass('jp-Colophon-deletion');
    this._name = _options.name ?? '';
  }

  /** Returns the entered name. */
  getValue(): string {
    return this._name.trim();
  }

  protected override render(): React.JSX.Element {
    const { open, trans, name, note } = this._options;
    const input = React.createElement(ColumnNameInput, {
      name: name ?? '',
      onChange: text => (this._name = text),
      trans
    });
    return React.createElement(
      React.Fragment,
      null,
      name === null ? null : input,
      React.createElement(ColumnImpactBody, { model: this.model, open, trans }),
      note === '' ? null : React.createElement('p', { className: 'jp-Colophon-note' }, note)
    );
  }

  private _name: string;
}

/** Shows a dialog with the impact of a column; resolves to the value of its content, or null if it was cancelled. */
async function launchDialog(
  { catalog, urn, open, trans }: IColumnDialog,
  title: string,
  buttons: readonly Dialog.IButton[],
  options: { name: string | null; note: string }
): Promise<string | null> {
  const openAndClose = (other: string): void => {
    dialog.reject();
    open(other);
  };
  const body = new ColumnImpactPanel(new ColumnImpactModel(catalog, urn), title, {
    open: openAndClose,
    trans,
    ...options
  });
  const dialog = new Dialog<string>({ title, body, buttons, defaultButton: 0 });
  const { button, value } = await dialog.launch();
  return button.accept ? (value ?? '') : null;
}

/** Shows what depends on a column. */
export async function showColumnImpact(options: IColumnDialog): Promise<void> {
  const { urn, trans } = options;
  const title = trans.__('Impact of %1', shortenUrn(urn));
  await launchDialog(options, title, [Dialog.cancelButton({ label: trans.__('Close') })], { name: null, note: '' });
}

/** Returns the note that a changed schema may be recorded again. */
function getNote(trans: TranslationBundle): string {
  return trans.__(
    'Only the schema in the catalog changes. The next program that writes the table records its columns again.'
  );
}

/** Shows what depends on a column that is to be removed from the schema; resolves to whether the user confirms. */
export async function confirmColumnRemoval(options: IColumnDialog): Promise<boolean> {
  const { urn, trans } = options;
  const title = trans.__('Remove %1 from the schema?', shortenUrn(urn));
  const buttons = [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Remove') })];
  return (await launchDialog(options, title, buttons, { name: null, note: getNote(trans) })) !== null;
}

/** Asks for a new name of a column, and shows what depends on it; resolves to null if the user cancels. */
export async function askForColumnName(options: IColumnDialog, name: string): Promise<string | null> {
  const { urn, trans } = options;
  const title = trans.__('Rename %1 in the schema', shortenUrn(urn));
  const buttons = [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Rename') })];
  const entered = await launchDialog(options, title, buttons, { name, note: getNote(trans) });
  return entered === '' || entered === name ? null : entered;
}
