import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import { Widget } from '@lumino/widgets';
import { CommandIDs } from '../commands';
import { metadataIcon } from '../icons';
import type { NotebookDataModel } from '../model/notebooks/notebook-data';
import { omitVariables } from '../model/notebooks/variable';
import type { IDataUses } from './data-menu';
import { describeUses, openDataMenu } from './data-menu';

/** A button in the toolbar of a notebook: how much data the notebook reads and writes, and a menu of it. */
export class DataButton extends Widget {
  constructor(
    private _model: NotebookDataModel,
    private _commands: CommandRegistry,
    private _trans: TranslationBundle
  ) {
    super();
    this.addClass('jp-Colophon-dataButton');
    const icon = metadataIcon.element({ tag: 'span', width: '16px', height: '16px' });
    this._button.type = 'button';
    this._button.setAttribute('aria-haspopup', 'menu');
    this._button.append(icon, this._count);
    this._button.onclick = () => this._open();
    this.node.append(this._button);
    _model.changed.connect(this._update, this);
    this._update();
  }

  override dispose(): void {
    this._model.changed.disconnect(this._update, this);
    super.dispose();
  }

  private _update(): void {
    const { reads, writes } = this._getUses();
    const count = new Set([...reads, ...writes].map(({ urn }) => urn)).size;
    const label = this._trans.__('Data of this notebook');
    this._count.textContent = count > 0 ? String(count) : '';
    this._button.title = count > 0 ? describeUses({ reads, writes }, this._trans) : label;
    this._button.setAttribute('aria-label', count > 0 ? this._trans.__('%1: %2', label, count) : label);
  }

  private _open(): void {
    const { path } = this._model.state;
    const further = [CommandIDs.openFileMetadata, CommandIDs.openFileLineage].map(command => ({
      command,
      args: { path }
    }));
    openDataMenu(this._button, this._commands, this._getUses(), further, this._trans);
  }

  /** Returns what the notebook reads and writes; variables are shown in lineage only. */
  private _getUses(): IDataUses {
    const { reads, writes } = this._model.state;
    return { reads: omitVariables(reads), writes: omitVariables(writes) };
  }

  private _button = document.createElement('button');
  private _count = document.createElement('span');
}
