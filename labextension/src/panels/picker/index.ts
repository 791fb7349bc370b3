import { Dialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { LivePanel } from '../../components/live-panel';
import type { ICatalog } from '../../tokens';
import { PickerBody } from './body';
import type { IPickerOptions } from './model';
import { PickerModel } from './model';

/** The content of the dialog; its value is the URN of the selected entity. */
class PickerPanel extends LivePanel<PickerModel> implements Dialog.IBodyWidget<string | null> {
  constructor(
    model: PickerModel,
    label: string,
    private _accept: () => void,
    private _trans: TranslationBundle
  ) {
    super(model, label);
    this.addClass('jp-Colophon-picker');
  }

  getValue(): string | null {
    return this.model.urn;
  }

  protected override render(): React.JSX.Element {
    return React.createElement(PickerBody, { model: this.model, accept: this._accept, trans: this._trans });
  }
}

/** A dialog that cannot be accepted until an entity is selected. */
class PickerDialog extends Dialog<string | null> {
  constructor(
    title: string,
    private _model: PickerModel,
    okLabel: string,
    trans: TranslationBundle
  ) {
    const buttons = [Dialog.cancelButton(), Dialog.okButton({ label: okLabel })];
    const body = new PickerPanel(_model, title, () => this.resolve(), trans);
    super({ title, body, buttons, focusNodeSelector: 'input' });
  }

  override resolve(index?: number): void {
    const isCancelled = index === 0;
    if (isCancelled || this._model.urn !== null) {
      super.resolve(index);
    }
  }
}

/** Which entities can be chosen, and the label of the button that accepts one. */
export interface IPickOptions extends IPickerOptions {
  okLabel?: string;
}

/** Asks for an entity, which is searched while the user types; null if the user cancels. */
export async function pickEntity(
  catalog: ICatalog,
  title: string,
  options: IPickOptions,
  trans: TranslationBundle
): Promise<string | null> {
  const { okLabel = trans.__('Open') } = options;
  const dialog = new PickerDialog(title, new PickerModel(catalog, options), okLabel, trans);
  const { button, value } = await dialog.launch();
  return button.accept ? value : null;
}
