import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { RecoveryFiles } from '../../generated/api';
import { confirmDiscard } from '../../components/confirm-discard';
import { BreakableName } from '../../components/breakable-name';
import { useModel } from '../../components/use-model';
import type { InstancesModel } from './instances';

type RecoveryFile = RecoveryFiles['recoveryFiles'][number];

interface IRecoveryProps {
  model: InstancesModel;
  trans: TranslationBundle;
}

function describeState(file: RecoveryFile, trans: TranslationBundle): string {
  if (file.problem !== '') {
    return trans.__('unreadable: %1', file.problem);
  }
  return file.missing ? trans.__('the instance is missing or invalid') : trans.__('the instance still exists');
}

interface IRowActionProps {
  label: string;
  /** The accessible description, including the row. */
  description: string;
  /** Runs the action; returns whether it succeeded, so that the row is removed. */
  run: () => Promise<boolean>;
}

/** An action of a row. When the row is removed, the focus moves to the summary, or to the filter. */
function RowAction({ label, description, run }: IRowActionProps): React.JSX.Element {
  const onClick = async (button: HTMLElement): Promise<void> => {
    const section = button.closest('.jp-Colophon-spaceBody');
    if (await run()) {
      const next = section?.querySelector<HTMLElement>('.jp-Colophon-recovery summary');
      (next ?? section?.querySelector<HTMLElement>('input'))?.focus();
    }
  };
  return (
    <button
      type="button"
      className="jp-Colophon-link"
      aria-label={description}
      onClick={event => void onClick(event.currentTarget)}
    >
      {label}
    </button>
  );
}

function Row({ file: file, model, trans }: IRecoveryProps & { file: RecoveryFile }): React.JSX.Element {
  const time = new Date(file.time).toLocaleString();
  const discardLabel = trans.__('Delete copy');
  const confirm = (): Promise<boolean> => {
    const body = trans.__('“%1” from %2 cannot be restored afterwards.', file.name, time);
    return confirmDiscard(trans.__('Delete this recovered copy?'), body, discardLabel, trans, trans.__('Keep'));
  };
  return (
    <li>
      <b>
        <BreakableName text={file.name} />
      </b>{' '}
      {trans.__('from %1', time)}: {describeState(file, trans)}
      <div className="jp-Colophon-row-actions">
        {file.missing && file.problem === '' && (
          <RowAction
            label={trans.__('Restore')}
            description={trans.__('Restore %1 from %2', file.name, time)}
            run={() => model.restoreRecoveryFile(file.file)}
          />
        )}
        <RowAction
          label={discardLabel}
          description={trans.__('Delete the recovered copy of %1 from %2', file.name, time)}
          run={async () => (await confirm()) && model.discardRecoveryFile(file.file)}
        />
      </div>
    </li>
  );
}

/** The recovery files of interrupted saves, with buttons to restore or delete them. */
export function RecoveryNote({ model, trans }: IRecoveryProps): React.JSX.Element | null {
  const { recoveryFiles } = useModel(model);
  if (recoveryFiles.length === 0) {
    return null;
  }
  return (
    <details className="jp-Colophon-load-problems jp-Colophon-recovery">
      <summary>
        {trans._n(
          '%1 recovered copy from an interrupted save',
          '%1 recovered copies from interrupted saves',
          recoveryFiles.length
        )}
      </summary>
      <ul>
        {recoveryFiles.map(file => (
          <Row key={file.file} file={file} model={model} trans={trans} />
        ))}
      </ul>
    </details>
  );
}
