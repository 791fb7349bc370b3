import { downloadIcon, fileUploadIcon, refreshIcon } from '@jupyterlab/ui-components';
import type { LabIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { InstanceSummary } from '../../generated/api';
import { ProblemNote } from '../../components/problem';
import { useModel } from '../../components/use-model';
import type { ISchemaspaceActions } from './actions';
import { Filters } from './filters';
import type { IInstancesState, InstancesModel } from './instances';
import type { Space } from './model';
import { RecoveryNote } from './recovery-note';
import { Rows } from './rows';

interface ISectionProps {
  space: Space;
  model: InstancesModel;
  actions: ISchemaspaceActions;
  select: (row: InstanceSummary | null) => void;
  trans: TranslationBundle;
}

function Tool(props: { icon: LabIcon; label: string; act: () => void }): React.JSX.Element {
  return (
    <button
      type="button"
      className="jp-Colophon-tool"
      title={props.label}
      aria-label={props.label}
      onClick={() => props.act()}
    >
      <props.icon.react tag="span" />
    </button>
  );
}

/** Returns the result as a sentence for a live region. */
function summarize(state: IInstancesState, filtered: boolean, trans: TranslationBundle): string {
  if (state.problem || !state.answered) {
    return state.busy ? trans.__('Loading…') : '';
  }
  return filtered
    ? trans._n('%1 instance found', '%1 instances found', state.total)
    : trans._n('%1 instance', '%1 instances', state.total);
}

function Tools({ space, model, actions, trans }: ISectionProps): React.JSX.Element {
  const state = useModel(model);
  const name = space.display_name;
  return (
    <div className="jp-Colophon-spaceTools">
      <p role="status" aria-live="polite" className="jp-Colophon-summary">
        {summarize(state, model.isFiltered, trans)}
      </p>
      <Tool
        icon={refreshIcon}
        label={trans.__('Refresh schemas and instances of %1', name)}
        act={() => actions.refreshSpace(space.name)}
      />
      <Tool
        icon={fileUploadIcon}
        label={trans.__('Import into %1…', name)}
        act={() => actions.importInto(space.name)}
      />
      <Tool icon={downloadIcon} label={trans.__('Export %1', name)} act={() => actions.exportFrom(space.name)} />
    </div>
  );
}

function EmptyNote({ space, model, actions, trans }: ISectionProps): React.JSX.Element | null {
  const state = useModel(model);
  if (!state.answered || state.total > 0 || state.problem) {
    return null;
  }
  if (model.isFiltered) {
    return (
      <p className="jp-Colophon-note">
        {trans.__('No results.')}{' '}
        <button type="button" className="jp-Colophon-link" onClick={() => model.clearFilters()}>
          {trans.__('Show all')}
        </button>
      </p>
    );
  }
  return (
    <p className="jp-Colophon-note">
      {trans.__('Nothing yet.')}{' '}
      {space.schemas.length > 0 && (
        <button
          type="button"
          className="jp-Colophon-link"
          onClick={event => actions.create(space, event.currentTarget)}
        >
          {trans.__('Create one')}
        </button>
      )}
    </p>
  );
}

/** The section of a schemaspace: filters, tools and instances. */
export function Section(props: ISectionProps): React.JSX.Element {
  const { space, model, trans } = props;
  const state = useModel(model);
  return (
    <>
      <Filters space={space} model={model} trans={trans} />
      <Tools {...props} />
      {state.problem && <ProblemNote problem={state.problem} trans={trans} retry={() => void model.refresh()} />}
      <RecoveryNote model={model} trans={trans} />
      <EmptyNote {...props} />
      {state.total > 0 && <Rows {...props} />}
    </>
  );
}
