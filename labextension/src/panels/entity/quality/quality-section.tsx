import { addIcon, copyIcon, editIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { useFocusReturn } from '../../../components/use-focus-return';
import { useModel } from '../../../components/use-model';
import type { Entity } from '../../../generated/api';
import type { AspectSpec } from '../../../model/editing/editor';
import { createCheckCode } from '../../../model/quality/check-code';
import type { ICheck } from '../../../model/quality/quality';
import { EXPECTATIONS_ASPECT, listChecks, summarizeChecks } from '../../../model/quality/quality';
import { appendStep, setValueAt } from '../../../model/schemas/pointer';
import { useFieldEditor } from '../metadata/editable-text';
import type { IPage, IPageProps } from '../page';
import { startChange } from '../page';
import { CheckNow } from './check-now';
import { CheckResult } from './check-result';
import { describeCheck } from './labels';

// Most visits read.
const ExpectationForm = React.lazy(() => import('./expectation-form'));

/** Whether a check is made here, and not by another tool. */
function isEvaluated({ expectation }: ICheck): boolean {
  return expectation !== null && expectation.kind !== 'other';
}

/** The query that finds the datasets with failed checks. */
const FAILING = 'quality:failing';

interface IFormProps {
  page: IPage;
  entity: Entity;
  spec: AspectSpec;
  /** The id of the expectation; empty for a new one. */
  id: string;
}

function getPointer(id: string): string {
  return appendStep(`/${EXPECTATIONS_ASPECT}`, id);
}

/** The form of an expectation, if it is open. */
function OpenForm({ page, entity, spec, id }: IFormProps): React.JSX.Element | null {
  const { stopEditing, trans } = page;
  const editor = useFieldEditor(page.model, { spec, pointer: getPointer(id) });
  // A newer version that was loaded, or a resolved conflict, replaces what an untouched form shows.
  const key = id === '' ? 'new' : editor?.version;
  return (
    editor && (
      <React.Suspense fallback={<p role="status">{trans.__('Loading…')}</p>}>
        <ExpectationForm
          key={key}
          editor={editor}
          entity={entity}
          id={id}
          close={() => void stopEditing()}
          trans={trans}
        />
      </React.Suspense>
    )
  );
}

/** The buttons that edit and remove an expectation. */
function CheckActions(props: {
  page: IPage;
  spec: AspectSpec;
  check: ICheck;
  editButton: React.RefObject<HTMLButtonElement>;
}): React.JSX.Element {
  const { page, spec, check, editButton } = props;
  const { model, stopEditing, trans } = page;
  const { id, expectation } = check;
  const name = describeCheck(check, trans);
  const edit = (): void =>
    void stopEditing().then(closed => closed && model.editField({ spec, pointer: getPointer(id) }));
  const remove = (): void =>
    void startChange(page, () => model.change(spec, value => setValueAt(value, getPointer(id), undefined)));
  return (
    <span className="jp-Colophon-qualityActions">
      {expectation?.kind !== 'other' && (
        <button
          type="button"
          className="jp-Colophon-tool"
          title={trans.__('Edit')}
          aria-label={trans.__('Edit: %1', name)}
          ref={editButton}
          onClick={edit}
        >
          <editIcon.react tag="span" width="14px" />
        </button>
      )}
      <button
        type="button"
        className="jp-Colophon-tool jp-Colophon-remove"
        title={trans.__('Remove')}
        aria-label={trans.__('Remove %1', name)}
        onClick={remove}
      >
        ×
      </button>
    </span>
  );
}

/** An expectation with its newest result; or its form. */
function CheckItem(props: IPageProps & { entity: Entity; spec: AspectSpec; check: ICheck }): React.JSX.Element {
  const { page, entity, spec, check } = props;
  const { mayEdit } = useModel(page.model);
  const isOpen = useFieldEditor(page.model, { spec, pointer: getPointer(check.id) }) !== null;
  const editButton = useFocusReturn<HTMLButtonElement>(isOpen);
  return (
    <li data-expectation={check.id}>
      {isOpen ? (
        <OpenForm page={page} entity={entity} spec={spec} id={check.id} />
      ) : (
        <CheckResult page={page} check={check}>
          {mayEdit && check.expectation !== null && <CheckActions {...{ page, spec, check, editButton }} />}
        </CheckResult>
      )}
    </li>
  );
}

/** How to check the data: a cell to copy. */
function CheckCode({ page, entity }: IPageProps & { entity: Entity }): React.JSX.Element {
  const { actions, trans } = page;
  const code = createCheckCode(entity);
  return (
    <details className="jp-Colophon-qualityCode">
      <summary>{trans.__('Check the data in a notebook')}</summary>
      <p className="jp-Colophon-note">{trans.__('Run this cell. The results appear here when it has run.')}</p>
      <pre>{code}</pre>
      <button type="button" className="jp-Colophon-button" onClick={() => actions.copyText(code)}>
        <copyIcon.react tag="span" width="16px" />
        {trans.__('Copy the cell')}
      </button>
    </details>
  );
}

/** How to check the data: on the server, and in a notebook. */
function Checking(props: IPageProps & { entity: Entity; checks: readonly ICheck[] }): React.JSX.Element {
  const { page, entity, checks } = props;
  const { mayDelete } = useModel(page.model);
  return (
    <>
      {/* Reading data on the server requires the scope that deleting requires. */}
      {mayDelete && checks.some(isEvaluated) && <CheckNow page={page} />}
      <CheckCode page={page} entity={entity} />
    </>
  );
}

/** A button that adds an expectation; or the form of a new one. */
function NewExpectation(props: IPageProps & { entity: Entity; spec: AspectSpec }): React.JSX.Element {
  const { page, entity, spec } = props;
  const { model, stopEditing, trans } = page;
  const field = { spec, pointer: getPointer('') };
  const isOpen = useFieldEditor(model, field) !== null;
  const button = useFocusReturn<HTMLButtonElement>(isOpen);
  return isOpen ? (
    <OpenForm page={page} entity={entity} spec={spec} id="" />
  ) : (
    <button
      type="button"
      className="jp-Colophon-prompt"
      ref={button}
      onClick={() => void stopEditing().then(closed => closed && model.editField(field))}
    >
      <addIcon.react tag="span" width="14px" />
      {trans.__('Add an expectation')}
    </button>
  );
}

/** What is expected of the data of a dataset, with the newest results of checks. */
export function QualitySection({ page, entity }: IPageProps & { entity: Entity }): React.JSX.Element | null {
  const { model, actions, trans } = page;
  const { type, mayEdit } = useModel(model);
  const spec = type?.aspects.find(({ name }) => name === EXPECTATIONS_ASPECT);
  const checks = React.useMemo(() => listChecks(entity), [entity]);
  const summary = summarizeChecks(checks);
  if (spec === undefined || (summary === null && !mayEdit)) {
    return null;
  }
  return (
    <section
      className="jp-Colophon-card-section"
      data-aspect={EXPECTATIONS_ASPECT}
      aria-label={trans.__('Data quality')}
    >
      <div className="jp-Colophon-sectionHead">
        <h2>{trans.__('Data quality')}</h2>
        {summary?.status === 'failing' && (
          <button
            type="button"
            className="jp-Colophon-link"
            onClick={() => actions.search({ query: FAILING, filters: {} })}
          >
            {trans.__('All failing datasets')}
          </button>
        )}
      </div>
      {summary === null && (
        <p className="jp-Colophon-note">{trans.__('Nothing is expected of the data yet, and nothing was checked.')}</p>
      )}
      {summary?.status === 'unknown' && (
        <p className="jp-Colophon-note">{trans.__('The data was not checked since the expectations were written.')}</p>
      )}
      <ul className="jp-Colophon-quality">
        {checks.map(check => (
          <CheckItem key={check.id} page={page} entity={entity} spec={spec} check={check} />
        ))}
      </ul>
      {mayEdit && <NewExpectation page={page} entity={entity} spec={spec} />}
      {summary !== null && <Checking page={page} entity={entity} checks={checks} />}
    </section>
  );
}
