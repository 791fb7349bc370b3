import type { TranslationBundle } from '@jupyterlab/translation';
import { closeIcon, undoIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { ProblemNote } from '../../components/problem';
import { ScrollableTable } from '../../components/scrollable-table';
import { useDisplayNames } from '../../components/use-display-names';
import { useModel } from '../../components/use-model';
import { Difference } from '../../components/versions';
import { Combobox } from '../../forms/fields/combobox';
import type { IBulkResult, Outcome } from '../../model/editing/bulk-edit';
import { compareDocuments } from '../../model/difference';
import { shortenUrn } from '../../model/urns';
import type { BulkEditModel } from './model';

interface IBulkEditProps {
  model: BulkEditModel;
  openEntity: (urn: string) => void;
  undo: (result: IBulkResult) => void;
  trans: TranslationBundle;
}

/** More rows of the preview are counted only. */
const MAX_ROWS = 200;

/** A text field with suggestions and a label. */
function LabelledCombobox(props: {
  label: string;
  value: string;
  choices: readonly string[];
  onChange: (text: string) => void;
  placeholder: string;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { label, trans, ...field } = props;
  const id = React.useId();
  return (
    <label htmlFor={id}>
      {label}
      <Combobox
        {...field}
        id={id}
        describedBy=""
        invalid={false}
        required={false}
        trans={trans}
        onLeave={() => undefined}
      />
    </label>
  );
}

/** Tags that are added to all entities. Enter adds one. */
function AddedTags({ model, trans }: IBulkEditProps): React.JSX.Element {
  const { change, knownTags } = useModel(model);
  const [text, setText] = React.useState('');
  const add = (): void => {
    if (text.trim() !== '') {
      model.addTag(text.trim());
      setText('');
    }
  };
  return (
    <div
      onKeyDown={event => {
        if (event.key === 'Enter' && !event.defaultPrevented) {
          event.preventDefault();
          add();
        }
      }}
    >
      <div className="jp-Colophon-addTag">
        <LabelledCombobox
          label={trans.__('Add tags')}
          value={text}
          choices={knownTags}
          placeholder={trans.__('Tag')}
          trans={trans}
          onChange={setText}
        />
        <button type="button" className="jp-Colophon-button" disabled={text.trim() === ''} onClick={add}>
          {trans.__('Add')}
        </button>
      </div>
      {change.addedTags.length > 0 && (
        <ul className="jp-Colophon-tags" aria-label={trans.__('Tags to add')}>
          {change.addedTags.map(tag => (
            <li key={tag} className="jp-Colophon-tag">
              {tag}
              <button
                type="button"
                className="jp-Colophon-icon-button"
                aria-label={trans.__('Do not add %1', tag)}
                onClick={() => model.keepTag(tag)}
              >
                <closeIcon.react tag="span" width="10px" height="10px" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The tags of users on the entities, which can be removed. */
function RemovedTags({ model, trans }: IBulkEditProps): React.JSX.Element | null {
  const { change, tags } = useModel(model);
  return tags.length === 0 ? null : (
    <fieldset>
      <legend>{trans.__('Remove tags')}</legend>
      <ul className="jp-Colophon-tags">
        {tags.map(([tag, count]) => (
          <li key={tag}>
            <label>
              <input
                type="checkbox"
                checked={change.removedTags.includes(tag)}
                onChange={event => (event.target.checked ? model.removeTag(tag) : model.keepTag(tag))}
              />
              {tag} <span className="jp-Colophon-count">{count.toLocaleString()}</span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

/** The owner: kept, set or removed. */
function Owner({ model, trans }: IBulkEditProps): React.JSX.Element {
  const { change, knownOwners } = useModel(model);
  const { owner } = change;
  return (
    <div className="jp-Colophon-bulkOwner">
      <LabelledCombobox
        label={trans.__('Set the owner')}
        value={owner ?? ''}
        choices={knownOwners}
        placeholder={trans.__('Unchanged')}
        trans={trans}
        onChange={text => model.setOwner(text.trim() === '' ? null : text.trim())}
      />
      <label>
        <input
          type="checkbox"
          checked={owner === ''}
          onChange={event => model.setOwner(event.target.checked ? '' : null)}
        />
        {trans.__('Remove the owner')}
      </label>
    </div>
  );
}

/** Returns the name by which people know an entity, else the one in its URN. */
function getName(names: ReadonlyMap<string, string>, urn: string): string {
  return names.get(urn) ?? shortenUrn(urn);
}

function PreviewRow(
  props: Pick<IBulkEditProps, 'openEntity' | 'trans'> & { outcome: Outcome; name: string }
): React.JSX.Element {
  const { openEntity, trans, outcome, name } = props;
  const { urn, problem, before, after } = outcome;
  const differences = compareDocuments(before ?? {}, after ?? {});
  return (
    <tr data-urn={urn}>
      <th scope="row" title={urn}>
        <button type="button" className="jp-Colophon-link" onClick={() => openEntity(urn)}>
          {name}
        </button>
      </th>
      <td>
        {problem === null ? (
          <ul className="jp-Colophon-differences">
            {differences.map((difference, index) => (
              <Difference key={index} difference={difference} trans={trans} />
            ))}
          </ul>
        ) : (
          <>
            {trans.__('Cannot be changed:')} {problem.detail} {problem.errors.map(({ message }) => message).join('; ')}
          </>
        )}
      </td>
    </tr>
  );
}

/** Returns what the change does as a sentence. */
function summarize(model: BulkEditModel, trans: TranslationBundle): string {
  const { preview } = model.state;
  const rejected = preview.filter(({ problem }) => problem !== null).length;
  const unchanged = preview.length - model.affected - rejected;
  return [
    trans._n('%1 entity changes.', '%1 entities change.', model.affected),
    unchanged > 0 ? trans._n('%1 stays as it is.', '%1 stay as they are.', unchanged) : '',
    rejected > 0 ? trans._n('%1 cannot be changed.', '%1 cannot be changed.', rejected) : ''
  ]
    .filter(part => part !== '')
    .join(' ');
}

/** What the change does to each entity that it affects. */
function Preview({ model, openEntity, trans }: IBulkEditProps): React.JSX.Element {
  const { preview, busy } = useModel(model);
  const rows = preview.filter(({ changed, problem }) => changed || problem !== null);
  const names = useDisplayNames(
    model.names,
    rows.slice(0, MAX_ROWS).map(({ urn }) => urn)
  );
  return (
    <section aria-label={trans.__('Preview')}>
      <h2>{trans.__('Preview')}</h2>
      <p role="status">{busy ? trans.__('Computing the changes…') : summarize(model, trans)}</p>
      {rows.length > 0 && (
        <ScrollableTable label={trans.__('Changes')}>
          <thead>
            <tr>
              <th scope="col">{trans.__('Entity')}</th>
              <th scope="col">{trans.__('Change')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MAX_ROWS).map(outcome => (
              <PreviewRow
                key={outcome.urn}
                outcome={outcome}
                name={getName(names, outcome.urn)}
                openEntity={openEntity}
                trans={trans}
              />
            ))}
          </tbody>
        </ScrollableTable>
      )}
      {rows.length > MAX_ROWS && (
        <p className="jp-Colophon-note">{trans.__('and %1 more', (rows.length - MAX_ROWS).toLocaleString())}</p>
      )}
    </section>
  );
}

/** The entities that the last change did not reach, and a button that undoes it. */
function Result({ model, undo, trans }: IBulkEditProps): React.JSX.Element | null {
  const { result } = useModel(model);
  const names = useModel(model.names);
  if (result === null) {
    return null;
  }
  const rejected = result.outcomes.filter(({ problem }) => problem !== null);
  return (
    <div className="jp-Colophon-bulkResult" role="group" aria-label={trans.__('Last change')}>
      <p role="status">{trans._n('%1 entity changed.', '%1 entities changed.', result.applied.length)}</p>
      {rejected.length > 0 && (
        <ul>
          {rejected.map(({ urn, problem }) => (
            <li key={urn}>
              {problem?.status === 412
                ? trans.__('%1 was changed after the preview, and stays as it is.', getName(names, urn))
                : trans.__('%1: %2', getName(names, urn), problem?.detail ?? '')}
            </li>
          ))}
        </ul>
      )}
      {result.applied.length > 0 && (
        <button type="button" className="jp-Colophon-button" onClick={() => undo(result)}>
          <undoIcon.react tag="span" width="14px" />
          {trans.__('Undo')}
        </button>
      )}
    </div>
  );
}

/** The body of the page. */
export function BulkEditBody(props: IBulkEditProps): React.JSX.Element {
  const { model, trans } = props;
  const { busy, applying, problem } = useModel(model);
  const { affected } = model;
  return (
    <div className="jp-Colophon-page" aria-busy={busy}>
      <h1>{trans._n('Edit %1 entity', 'Edit %1 entities', model.urns.length)}</h1>
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void model.refresh()} />}
      <Result {...props} />
      <form
        className="jp-Colophon-form"
        aria-label={trans.__('Change')}
        onSubmit={event => {
          event.preventDefault();
          void model.apply();
        }}
      >
        <AddedTags {...props} />
        <RemovedTags {...props} />
        <Owner {...props} />
        <Preview {...props} />
        <button
          type="submit"
          className="jp-Colophon-button jp-mod-primary"
          disabled={busy || applying || affected === 0}
        >
          {trans._n('Change %1 entity', 'Change %1 entities', affected)}
        </button>
      </form>
    </div>
  );
}
