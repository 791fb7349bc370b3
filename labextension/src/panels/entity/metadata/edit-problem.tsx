import React from 'react';
import { ProblemNote } from '../../../components/problem';
import { useModel } from '../../../components/use-model';
import { Conflict } from '../../../forms/conflict';
import type { FormEditor } from '../../../model/editing/editor';
import type { IPage, IPageProps } from '../page';

function Problem({ page, editor }: { page: IPage; editor: FormEditor }): React.JSX.Element | null {
  const { model, trans } = page;
  const { serverErrors, problem, conflict } = useModel(editor);
  if (serverErrors.length === 0 && !problem && !conflict) {
    return null;
  }
  return (
    <section className="jp-Colophon-editProblem" aria-label={trans.__('The change was not saved')}>
      {serverErrors.length > 0 && (
        <div className="jp-Colophon-problem" role="alert">
          <strong>{trans.__('The change was not saved')}</strong>
          <ul>
            {serverErrors.map(({ pointer, message }) => (
              <li key={pointer}>{message}</li>
            ))}
          </ul>
        </div>
      )}
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void editor.save()} />}
      <Conflict editor={editor} trans={trans} />
      <button type="button" className="jp-Colophon-button" onClick={() => model.stopEditing()}>
        {trans.__('Discard the change')}
      </button>
    </section>
  );
}

/** Why a change without a form, such as a new tag, could not be saved. */
export function EditProblem({ page }: IPageProps): React.JSX.Element | null {
  const { editor, field } = useModel(page.model);
  return editor && field === '' ? <Problem page={page} editor={editor} /> : null;
}
